import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds an object for clients to each field, as steps have (F12). */
export class MetaOfFields1796900000000 implements MigrationInterface {
  name = 'MetaOfFields1796900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table fields add meta jsonb constraint fields_meta_check check (jsonb_typeof(meta) = 'object');
      comment on column fields.meta is
        'An object for clients, for example with the autocomplete of an input in HTML; or null.'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table fields drop meta');
  }
}
