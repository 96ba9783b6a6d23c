import type { Command } from 'commander';
import { print } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import { importedLines } from './forms.command.js';

export function addSeedCommand(db: Command, packageRoot: string): void {
  db.command('seed')
    .description('import the example forms, and print only a development token')
    .action(async () => {
      const { seed } = await import('../seed.js');
      const { nameOperator } = await import('../../../cli/as-operator.js');
      const { forms, plainToken } = await withDatabase((dataSource) =>
        seed(dataSource, packageRoot, nameOperator),
      );
      sayToOperator(importedLines(forms));
      await print(plainToken);
    });
}
