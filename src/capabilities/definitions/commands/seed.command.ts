import type { Command } from 'commander';
import { CommandError } from '../../../cli/command-error.js';
import { ensure } from '../../../cli/option-values.js';
import { alignColumns, counted, print, withProgress } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import type { SeededSubmissions } from '../examples/seed-submissions.js';
import { importedLines } from './forms.command.js';

const MAX_SUBMISSIONS = 1_000;

export function addSeedCommand(db: Command, packageRoot: string): void {
  db.command('seed')
    .description('import the example forms, and print only a development token')
    .option(
      '--submissions <count>',
      `also create submissions of the example forms with invented answers, from 1 to ${MAX_SUBMISSIONS}. Not in production`,
      parseCount,
    )
    .action(async ({ submissions: count }: { submissions?: number }) => {
      const { seed } = await import('../seed.js');
      const { nameOperator } = await import('../../../cli/as-operator.js');
      const plainToken = await withDatabase(async (dataSource, environment, connection) => {
        if (count !== undefined && environment.production)
          throw new CommandError(
            'NODE_ENV is production, where invented submissions would mix with those of people. Leave out --submissions. Nothing was changed.',
          );
        const { forms, plainToken } = await seed(dataSource, packageRoot, nameOperator);
        sayToOperator(importedLines(forms));
        if (count === undefined) return plainToken;
        const { seedSubmissions } = await import('../examples/seed-submissions.js');
        const uuids = forms.map(({ uuid }) => uuid);
        const seeded = await withProgress('submission', (show) =>
          seedSubmissions({ dataSource, environment, connection, show }, uuids, count),
        );
        sayToOperator(seededLines(seeded));
        return plainToken;
      });
      await print(plainToken);
    });
}

function parseCount(text: string): number {
  const isCount = /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_SUBMISSIONS;
  return ensure(Number(text), isCount, `a whole number from 1 to ${MAX_SUBMISSIONS}`);
}

function seededLines(seeded: readonly SeededSubmissions[]): string {
  const sum = (key: 'completed' | 'drafts') => seeded.reduce((total, form) => total + form[key], 0);
  const [completed, drafts] = [sum('completed'), sum('drafts')];
  const rows = seeded.map(({ slug, completed, drafts }) => [
    `  ${slug}`,
    `${completed} completed`,
    counted(drafts, 'draft'),
  ]);
  return `Created ${counted(completed + drafts, 'submission')}: ${completed} completed, ${counted(drafts, 'draft')}.\n${alignColumns(rows)}`;
}
