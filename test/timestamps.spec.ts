import type { DataSource } from 'typeorm';
import { migrate } from '../src/migrations/migrate.js';
import {
  MAY_BE_INFINITE,
  TimestampChecks1795910400000,
} from '../src/migrations/1795910400000-timestamp-checks.js';
import { issueToken } from '../src/entities.js';
import { etagOf } from './support/answers.js';
import { client as clientOf } from './support/client.js';
import { newDraft } from './support/drafts.js';
import { onOneServer } from './support/it-on-one-server.js';
import { startService, useService } from './support/service.js';
import { testDatabase } from './support/test-database.js';
import {
  fillTimestamps,
  MIGRATED_COLUMNS,
  TIMESTAMP_COLUMNS,
  UNWRITABLE,
  UNWRITABLE_KINDS,
} from './support/timestamps.js';

const RIGHT = ['0001-01-01 00:00:00+00', '1684-01-01 00:00:00.000001+00', '9999-12-31 23:59:59.999999+00'];

onOneServer('the checks against timestamps that ISO 8601 cannot write', () => {
  const use = useService();

  it('exist for each timestamp column', async () => {
    const found = await use.database.dataSource.query<{ name: string; type: string }[]>(
      `select relname || '.' || attname as name, format_type(atttypid, null) as type
         from pg_attribute join pg_class on pg_class.oid = attrelid join pg_type on pg_type.oid = atttypid
        where relkind = 'r' and relnamespace = 'public'::regnamespace and typcategory in ('D', 'T') and attnum > 0
          and not attisdropped`,
    );
    const described = found.map(({ name, type }) => `${name} ${type}`);
    expect(described.sort()).toEqual(
      TIMESTAMP_COLUMNS.map(({ name }) => `${name} timestamp with time zone`).sort(),
    );
  });

  it.each(TIMESTAMP_COLUMNS)(
    'reject them, and no other timestamps, in $name',
    async ({ table, column, name }) => {
      const [check] = await use.database.dataSource.query<{ expression: string; isValid: boolean }[]>(
        `select pg_get_expr(conbin, conrelid) as expression, convalidated as "isValid" from pg_constraint
        where conrelid = $1::regclass and conname = $2`,
        [table, `${table}_${column}_check`],
      );
      expect(check?.isValid).toBe(true);
      const passes = async (value: string | null) => {
        const [row] = await use.database.dataSource.query<[{ passes: boolean | null }]>(
          `select ${check?.expression} as passes from (select $1::timestamptz as ${column}) one`,
          [value],
        );
        return row.passes;
      };
      const mayBeInfinite = [...MAY_BE_INFINITE, 'users.tokens_valid_from'].includes(name);
      for (const value of UNWRITABLE)
        expect([value, await passes(value)]).toEqual([value, value === 'infinity' && mayBeInfinite]);
      for (const value of RIGHT) expect([value, await passes(value)]).toEqual([value, true]);
      expect(await passes(null)).toBeNull();
    },
  );

  it.each(UNWRITABLE)('reject %s in a submission, with the name of the constraint', async (value) => {
    const { uuid } = await newDraft(use);
    for (const column of ['created_at', 'updated_at']) {
      const write = use.database.dataSource.query(`update submissions set ${column} = $2 where uuid = $1`, [
        uuid,
        value,
      ]);
      await expect(write).rejects.toMatchObject({
        code: '23514',
        constraint: `submissions_${column}_check`,
      });
    }
  });

  it('reject expiry times of tokens with a constraint name that a panel can show', async () => {
    const { userId } = await newDraft(use);
    for (const expiresAt of [new Date('+010000-01-01'), new Date('-000044-03-15'), new Date(8.64e15)]) {
      const issued = issueToken(use.database.dataSource.manager, { userId, expiresAt });
      await expect(issued).rejects.toMatchObject({
        driverError: { code: '23514', constraint: 'api_tokens_expires_at_check' },
      });
    }
  });

  it('allow writes to a submission and a form of the last day of year 9999, with a new ETag each time (S6)', async () => {
    const { client, path, uuid, form } = await newDraft(use, [{ name: {} }, {}]);
    const { dataSource } = use.database;
    for (const value of ['9999-12-31 23:59:59.999999+00', '9999-12-30 23:59:59.999999+00']) {
      await dataSource.query('update submissions set updated_at = $2 where uuid = $1', [uuid, value]);
      const seen = [etagOf(await client.get(path))];
      for (let write = 0; write < 3; write += 1) {
        const headers = { 'If-Match': seen.at(-1)! };
        const answer = await client.post(`${path}/values`, { values: [] }, headers);
        expect(answer.status).toBe(200);
        seen.push(etagOf(answer));
        expect(etagOf(await client.get(path))).toBe(seen.at(-1));
      }
      expect(new Set(seen).size).toBe(seen.length);
    }
    const [{ slug }] = await dataSource.query<[{ slug: string }]>(
      `insert into forms (name, slug, updated_at) values ('Late', 'late-${form.id}', '9999-12-31 23:59:59.999999+00') returning slug`,
    );
    for (const name of ['Later', 'Latest'])
      await dataSource.query('update forms set name = $2 where slug = $1', [slug, name]);
    expect((await use.service.anyone.get(`/api/v1/forms/${slug}/by-slug`)).body.data).toMatchObject({
      name: 'Latest',
      version: 3,
    });
  });

  it.each(RIGHT)('allow %s, which is then read, listed and matched by If-Match', async (value) => {
    const { client, path, uuid } = await newDraft(use);
    await use.database.dataSource.query(
      'update submissions set created_at = $2, updated_at = $2 where uuid = $1',
      [uuid, value],
    );
    const written = value
      .replace(' ', 'T')
      .replace(/(?:\.(\d+))?\+00$/, (_, digits = '000000') => `.${digits}Z`);
    const { body } = await client.get(path);
    expect(body.data).toMatchObject({ created_at: written, updated_at: written });
    expect((await client.patch(path, { meta: {} }, { 'If-Match': `"${written}"` })).status).toBe(200);
    // Create a second submission, so that the list has two pages.
    await client.post('/api/v1/submissions', {
      form_uuid: (await client.get('/api/v1/submissions')).body.data[0].form.uuid,
    });
    const first = await client.get('/api/v1/submissions?per_page=1');
    const next = await client.get(new URL(first.body.links.next).href.replace(use.service.url, ''));
    expect([next.status, next.body.data.length, next.body.links.next]).toEqual([200, 1, null]);
  });
});

onOneServer('the migration that adds these checks, in a database with invalid timestamps,', () => {
  it.each(UNWRITABLE_KINDS)(
    'replaces %s and validates all checks, and the service works after it',
    async (value) => {
      const database = await testDatabase();
      const before = await startService(database);
      const draft = await fillTimestamps({ database, service: before });
      await before.close();
      const { dataSource } = database;
      while (await isChecked(dataSource)) await dataSource.undoLastMigration();
      await dataSource.query('alter table forms disable trigger forms_version');
      for (const { table, column } of MIGRATED_COLUMNS.filter(
        ({ name }) => name !== 'webhook_deliveries.next_attempt_at',
      ))
        await dataSource.query(`update ${table} set ${column} = $1`, [value]);
      await dataSource.query('alter table forms enable trigger forms_version');

      const [{ now }] = await dataSource.query<[{ now: Date }]>('select now() as now');
      expect(await migrate(dataSource)).toContain('ValidTimestamps1795910400001');

      const isLate = value === 'infinity' || /^\d{5}/.test(value);
      for (const { table, column, name } of MIGRATED_COLUMNS) {
        const [row] = await dataSource.query<[{ is_now: boolean | null; is_infinite: boolean | null }]>(
          `select ${column} >= $1 and ${column} <= now() as is_now, ${column} = 'infinity' as is_infinite from ${table}`,
          [now],
        );
        const isNull =
          name === 'webhook_deliveries.next_attempt_at' || (name === 'files.expires_at' && isLate);
        const isInfinite = isLate && MAY_BE_INFINITE.includes(name);
        expect([name, row]).toEqual([
          name,
          isNull ? { is_now: null, is_infinite: null } : { is_now: !isInfinite, is_infinite: isInfinite },
        ]);
      }
      const invalid = await dataSource.query('select conname from pg_constraint where not convalidated');
      expect(invalid).toEqual([]);

      const { plainToken } = await issueToken(dataSource.manager, { userId: draft.userId });
      const after = await startService(database);
      const client = clientOf(after.url, { Authorization: `Bearer ${plainToken}` });
      expect((await client.get(draft.path)).body.data).toMatchObject({
        created_at: expect.stringMatching(/^20/),
        updated_at: expect.stringMatching(/^20/),
      });
      expect((await client.post(`${draft.path}/values`, { values: [] })).status).toBe(200);
      await after.close();
      await database.drop();
    },
  );

  it('leaves all other timestamps unchanged', async () => {
    const database = await testDatabase();
    const service = await startService(database);
    await fillTimestamps({ database, service });
    await service.close();
    const { dataSource } = database;
    await dataSource.query(`update api_tokens set expires_at = 'infinity'`);
    const rows = async () => {
      const found: unknown[] = [];
      for (const { table, column } of MIGRATED_COLUMNS)
        found.push(await dataSource.query(`select ${column}::text from ${table} order by 1`));
      return found;
    };
    const before = await rows();
    while (await isChecked(dataSource)) await dataSource.undoLastMigration();
    await migrate(dataSource);
    expect(await rows()).toEqual(before);
    await database.drop();
  });

  async function isChecked(dataSource: DataSource): Promise<boolean> {
    const found = await dataSource.query<unknown[]>('select from migrations where name = $1', [
      new TimestampChecks1795910400000().name,
    ]);
    return found.length > 0;
  }
});
