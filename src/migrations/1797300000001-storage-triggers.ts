import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readShards } from '../database/distribution/shards.js';

/** The triggers of a table that count what users store, by their names. One migration for each table locks one table at a time. */
abstract class StorageTriggers implements MigrationInterface {
  abstract readonly table: string;
  abstract readonly triggers: Readonly<Record<string, string>>;

  async up(runner: QueryRunner): Promise<void> {
    if ((await readShards(runner.manager)) !== undefined) return;
    for (const [name, definition] of Object.entries(this.triggers))
      await runner.query(`create trigger ${name} ${definition}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Citus rejects `drop trigger if exists` too.
    if ((await readShards(runner.manager)) !== undefined) return;
    for (const name of Object.keys(this.triggers))
      await runner.query(`drop trigger if exists ${name} on ${this.table}`);
  }
}

const countingOf = (kind: 'text' | 'file', table: string) => {
  const count = `for each statement execute function formtrail_count_${kind}()`;
  return {
    storage_insert: `after insert on ${table} referencing new table as after ${count}`,
    storage_update: `after update on ${table} referencing old table as before new table as after ${count}`,
    storage_delete: `after delete on ${table} referencing old table as before ${count}`,
    storage_truncate: `after truncate on ${table} for each statement execute function formtrail_count_no_${kind}()`,
  };
};

export class CountText1797300000001 extends StorageTriggers {
  readonly name = 'CountText1797300000001';
  readonly table = 'submission_values';
  readonly triggers = countingOf('text', this.table);
}

export class CountFiles1797300000002 extends StorageTriggers {
  readonly name = 'CountFiles1797300000002';
  readonly table = 'files';
  readonly triggers = countingOf('file', this.table);
}

export class CountOfSubmissions1797300000003 extends StorageTriggers {
  readonly name = 'CountOfSubmissions1797300000003';
  readonly table = 'submissions';
  readonly triggers = {
    // PostgreSQL fires triggers in the order of their names: this one after webhooks_delete, which reads the values.
    written_off:
      'before delete on submissions for each row execute function formtrail_submission_written_off()',
    storage_moved: `after update of user_id on submissions for each row when (old.user_id <> new.user_id)
      execute function formtrail_submission_moved()`,
  };
}

export class CountOfUsers1797300000004 extends StorageTriggers {
  readonly name = 'CountOfUsers1797300000004';
  readonly table = 'users';
  readonly triggers = {
    storage_deleted: 'after delete on users for each row execute function formtrail_user_storage_deleted()',
  };
}
