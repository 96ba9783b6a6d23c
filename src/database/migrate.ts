import type { DataSource } from 'typeorm';
import { MIGRATIONS } from './migrations/index.js';

export interface MigrationStatus {
  readonly name: string;
  readonly isApplied: boolean;
}

/** Every migration of this build, in order. Reads only, also where no migration has ever run. */
export async function migrationStatus(dataSource: DataSource): Promise<MigrationStatus[]> {
  const [table] = await dataSource.query<{ exists: boolean }[]>(
    `select to_regclass('migrations') is not null as exists`,
  );
  const rows = table?.exists ? await dataSource.query<{ name: string }[]>('select name from migrations') : [];
  const applied = new Set(rows.map(({ name }) => name));
  return MIGRATIONS.map(({ name }) => ({ name, isApplied: applied.has(name) }));
}

/** Runs what is pending, each in a transaction of its own; returns the names. Safe to call on many machines at once. */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  // The lock ends with its transaction, so that it cannot leak through a pooler that hands connections around.
  return dataSource.transaction(async (manager) => {
    await manager.query(`select pg_advisory_xact_lock(hashtext('formtrail migrations'))`);
    const run = await dataSource.runMigrations();
    return run.map(({ name }) => name);
  });
}
