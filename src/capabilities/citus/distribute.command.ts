import type { Command } from 'commander';
import { CommandError } from '../../cli/command-error.js';
import { confirm } from '../../cli/confirm.js';
import { print } from '../../cli/output.js';
import { withDatabase } from '../../cli/with-database.js';
import { sayToOperator } from '../../process/say-to-operator.js';

export function addDistributeCommand(db: Command): void {
  db.command('distribute')
    .description(
      'distribute submissions, their values and records, and idempotency keys over the nodes of Citus. This cannot be undone.\n' +
        'Install Citus and stop Formtrail first. No program can use the database meanwhile.',
    )
    .option('--yes', 'do not ask for confirmation')
    .action(async (consent: { yes?: boolean }) => {
      const { createFunctions, distribute, obstacle } = await import('./distribute.js');
      const { describe, distributionStatus } = await import('./status.js');
      await withDatabase(async (dataSource) => {
        const before = await distributionStatus(dataSource);
        if (before.shards > 0) await createFunctions(dataSource.manager);
        if (before.shards > 0) return print(`Nothing to do. ${await describe(dataSource)}`);
        const reason = await obstacle(dataSource, before);
        if (reason !== undefined) throw new CommandError(reason);
        sayToOperator(
          `This distributes the tables of submissions over ${before.nodes.join(' and ')}, which Formtrail cannot undo.`,
        );
        await confirm('Continue?', consent);
        await distribute(dataSource, (step) => sayToOperator(`${step}.`));
        return print(await describe(dataSource));
      });
    });
}
