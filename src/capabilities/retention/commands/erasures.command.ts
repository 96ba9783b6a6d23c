import type { Command } from 'commander';
import { findCommand } from '../../../cli/find-command.js';

export function addErasureCommands(program: Command): void {
  findCommand(program, 'db')
    .command('erasures')
    .description(
      'print what was deleted and must stay deleted after a restore, without contents: one JSON object a line.\n' +
        'Keep it beside the backups, and pass it to "db restored --erasures".',
    )
    .addHelpText('after', '\nExample:\n  formtrail db erasures > erasures.ndjson')
    .action(async () => {
      const { withDatabase } = await import('../../../cli/with-database.js');
      const { write } = await import('../../../cli/output.js');
      const { requireOneServer } = await import('../../../database/distribution.js');
      const { erasureLines } = await import('../erasures.js');
      await withDatabase(async (dataSource) => {
        await requireOneServer(dataSource, 'Erasures', 'Nothing records the deletions.');
        await dataSource.transaction('REPEATABLE READ', async (manager) => {
          for await (const lines of erasureLines(manager)) await write(`${lines.join('\n')}\n`);
        });
      });
    });
  const restored = findCommand(program, 'db restored');
  restored
    .description(
      `${restored.description()}\nWith --erasures or --from, first deletes again what was deleted since the backup.`,
    )
    .option(
      '--erasures <file>',
      'also delete again what was deleted since the backup: a file of "db erasures"',
    )
    .option('--from <url>', 'like --erasures, from the former database, if it can still be read')
    .addHelpText(
      'after',
      '\nExamples:\n  formtrail db restored --erasures erasures.ndjson\n  formtrail db restored --from postgres://formtrail@old.example.org/formtrail',
    );
}
