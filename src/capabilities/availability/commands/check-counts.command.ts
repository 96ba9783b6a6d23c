import type { Command } from 'commander';
import { print } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';

export function addCheckCountsCommand(forms: Command): void {
  forms
    .command('check-counts')
    .description(
      'compare the counters of a form with limits with its completed submissions, and mend the counters that are wrong.\n' +
        'Completions of the form wait until it has ended.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .action(async (slug: string) => {
      const { checkCounts } = await import('./check-counts.js');
      const lines = await withDatabase((dataSource) => checkCounts(dataSource, slug));
      await print(lines.join('\n'));
    });
}
