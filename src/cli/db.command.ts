import { Command } from 'commander';
import { sayToOperator } from '../process/say-to-operator.js';
import type { CommandOptions, RestoreReport } from '../server/hooks.js';
import { CommandError } from './command-error.js';
import { parseSince } from './option-values.js';
import { counted, print, printJson, printTable, sayClosingFailed } from './output.js';
import { withAnySchema, withDatabase } from './with-database.js';

export function dbCommand(): Command {
  const db = new Command('db').description(
    'migrate the database, fill it for development, record backups, raise versions after a restore, and distribute it over several servers',
  );

  db.command('migrate')
    .description('run all pending migrations and print their names')
    .option('--json', 'print a JSON array of the names')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { migrate } = await import('../migrations/migrate.js');
      const names = await withAnySchema((dataSource, { migrateLockTimeout }) =>
        migrate(dataSource, sayToOperator, { lockTimeout: migrateLockTimeout }),
      );
      if (json) return printJson(names);
      return print(names.length === 0 ? 'No migration was pending.' : names.join('\n'));
    });

  db.command('status')
    .description(
      'list all migrations as applied or pending, and the nodes of distributed tables.\n' +
        'The exit status is 1 while a migration is pending.',
    )
    .option('--json', 'print a JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { migrationStatus } = await import('../migrations/migrate.js');
      const { findDistribution } = await import('../database/distribution.js');
      const { migrations, distribution } = await withAnySchema(async (dataSource) => ({
        migrations: (await migrationStatus(dataSource)).map(({ name, isApplied }) => {
          return { name, status: isApplied ? 'applied' : 'pending' };
        }),
        distribution: await (await findDistribution(dataSource)).describe(),
      }));
      if (distribution !== undefined) sayToOperator(distribution);
      await (json ? printJson(migrations) : printTable(migrations.map(({ name, status }) => [status, name])));
      const pending = migrations.filter(({ status }) => status === 'pending').length;
      if (pending > 0)
        throw new CommandError(
          `${counted(pending, 'migration')} ${pending === 1 ? 'is' : 'are'} pending. Run "db migrate".`,
        );
    });

  db.command('url')
    .description(
      'print the URL of the database, for psql and panels. The embedded database runs only while a server or a command ' +
        'uses it.',
    )
    .action(async () => {
      const { readEnvironment } = await import('../server/read-environment.js');
      const { openDatabase } = await import('../server/open-database.js');
      const database = await openDatabase(await readEnvironment(process.env, sayToOperator), sayToOperator);
      const { closeAfter } = await import('../process/close-all.js');
      await closeAfter(() => print(database.direct.url), [() => database.release()], sayClosingFailed);
    });

  db.command('record-backup')
    .description(
      'record that a backup has succeeded, for the metric formtrail_last_backup_timestamp_seconds and its alert',
    )
    .option(
      '--at <time>',
      'when the backup began: a date, a time with its offset, or a duration before now, such as 2h',
      parseSince,
    )
    .option('--json', 'print a JSON object')
    .action(async ({ at, json = false }: { at?: string; json?: boolean }) => {
      const { recordBackup } = await import('../database/record-backup.js');
      const takenAt = await withDatabase((dataSource) => recordBackup(dataSource, at));
      if (takenAt === undefined)
        throw new CommandError(
          `${at} is in the future. Nothing was recorded. Pass the time when the backup began.`,
        );
      if (json) return printJson({ last_backup_at: takenAt });
      return print(`The last recorded backup began at ${takenAt}.`);
    });

  db.command('restored')
    .description(
      'after the restore of a backup: raise the versions of all forms by 10,000, above those that the restore lost.\n' +
        'Browsers keep the schema of a version for a year, so no version may repeat. Only the owner of the tables may do this.',
    )
    .option('--json', 'print a JSON object')
    .action(async ({ json = false, ...options }: CommandOptions & { json?: boolean }) => {
      const { raiseVersions } = await import('../database/raise-versions.js');
      const { loadHooks } = await import('../server/load-hooks.js');
      const reports: RestoreReport[] = [];
      const raised = await withDatabase(async (dataSource) => {
        for (const { afterRestore } of await loadHooks()) {
          const report = await afterRestore?.(dataSource, options);
          if (report !== undefined) reports.push(report);
        }
        return raiseVersions(dataSource);
      });
      const deleted = `${counted(raised.deleted, 'UUID')} of deleted forms`;
      const line = `Raised the versions of ${counted(raised.forms, 'form')} and ${deleted} by 10,000.`;
      if (json) await printJson(Object.assign({}, raised, ...reports.map((report) => report.json)));
      else await print([...reports.flatMap(({ lines }) => lines), line].join('\n'));
      for (const { failure } of reports) if (failure !== undefined) throw new CommandError(failure);
    });

  return db;
}
