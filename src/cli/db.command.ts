import { Command } from 'commander';
import { importedLines } from './forms.command.js';
import { print, printJson, say } from './output.js';

export function dbCommand(packageRoot: string): Command {
  const db = new Command('db').description(
    "bring the database's schema up to date, and fill it for development",
  );

  db.command('migrate')
    .description('run the migrations that are pending and print their names')
    .option('--json', 'print a JSON array of the names')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { migrate } = await import('../database/migrate.js');
      const { withAnySchema } = await import('./with-database.js');
      const names = await withAnySchema(migrate);
      if (json) return printJson(names);
      return print(names.length === 0 ? 'No migration was pending.' : names.join('\n'));
    });

  db.command('status')
    .description('list all migrations, each applied or pending; exit status 0 either way')
    .option('--json', 'print a JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { migrationStatus } = await import('../database/migrate.js');
      const { withAnySchema } = await import('./with-database.js');
      const migrations = (await withAnySchema(migrationStatus)).map(({ name, isApplied }) => {
        return { name, status: isApplied ? 'applied' : 'pending' };
      });
      if (json) return printJson(migrations);
      const { alignColumns } = await import('./columns.js');
      return print(alignColumns(migrations.map(({ name, status }) => [status, name])));
    });

  db.command('seed')
    .description('import the example forms and print a development token alone')
    .action(async () => {
      const { seed } = await import('../forms/definitions/seed.js');
      const { withDatabase } = await import('./with-database.js');
      const { forms, plainToken } = await withDatabase((dataSource) => seed(dataSource, packageRoot));
      say(await importedLines(forms));
      await print(plainToken);
    });

  return db;
}
