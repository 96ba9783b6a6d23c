import type { Connection, PoolClient } from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { hashUuid } from '../../src/capabilities/citus/shards.js';
import { valuesOfRow } from '../../src/capabilities/citus/on-shard.js';
import { integer, nullable, statement, text } from '../../src/database/statement.js';
import { sendCancelRequest } from '../../src/database/wire/cancel-request.js';
import { poolOf } from '../../src/database/wire/pool-of.js';
import { runStatement } from '../../src/database/wire/prepared-query.js';
import { eventually } from '../support/eventually.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
let client: PoolClient;

beforeAll(async () => {
  database = await testDatabase();
  client = await poolOf(database.dataSource).connect();
});
afterAll(async () => {
  client.release();
  await database.close();
});

/** Tests the undocumented behaviour of pg on which `src/database/wire` relies, because a new version may change it. */
describe('the service relies on pg', () => {
  const ADD = statement('wire.add', 'select $1::integer + 1, $2::text', {
    sum: integer,
    note: nullable(text),
  });
  const connection = () => (client as unknown as { connection: Connection }).connection;

  it('to track the prepared statements of a connection, so that each is parsed once', async () => {
    const parse = jest.spyOn(connection(), 'parse');
    expect(await runStatement(client, ADD, [1, 'a'], true)).toEqual([{ sum: 2, note: 'a' }]);
    expect(await runStatement(client, ADD, ['2', null], true)).toEqual([{ sum: 3, note: null }]);
    expect(connection()).toHaveProperty(['parsedStatements', 'wire.add'], ADD.text);
    expect(parse).toHaveBeenCalledTimes(1);
    parse.mockRestore();
  });

  it('not to track a statement without a name', async () => {
    const other = { ...ADD, name: 'wire.unnamed' };
    expect(await runStatement(client, other, [1, 'a'], false)).toEqual([{ sum: 2, note: 'a' }]);
    expect(connection()).not.toHaveProperty(['parsedStatements', 'wire.unnamed']);
  });

  it('to convert parameters: buffers, arrays, dates, objects', async () => {
    const ECHO = statement(
      'wire.echo',
      `select encode($1, 'hex'), $2::integer[]::text, $3::timestamptz, $4::json`,
      { bytes: text, array: text, date: text, json: text },
    );
    const [row] = await runStatement(client, ECHO, [Buffer.from('ab'), [1, 2], new Date(0), { a: 1 }], true);
    expect(row).toMatchObject({ bytes: '6162', array: '{1,2}', json: '{"a":1}' });
    expect(Date.parse(row!.date)).toBe(0);
  });

  it('to pass an error to its own statement, and to continue with the next statements', async () => {
    const DIVIDE = statement('wire.divide', 'select 1 / $1::integer', { quotient: integer });
    const both = [runStatement(client, DIVIDE, [0], true), runStatement(client, DIVIDE, [1], true)];
    await expect(both[0]).rejects.toMatchObject({ code: '22012', stack: expect.stringContaining('pg.spec') });
    expect(await both[1]).toEqual([{ quotient: 1 }]);
  });

  it('to store the process id and the secret that cancel the query of a client', async () => {
    const SLEEP = statement('wire.sleep', 'select pg_sleep(60)', {});
    const cancelled = expect(runStatement(client, SLEEP, [], true)).rejects.toMatchObject({ code: '57014' });
    await eventually('the server sleeps', async () => {
      const sleeping = await database.dataSource.query<unknown[]>(
        `select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
      );
      return sleeping.length > 0;
    });
    sendCancelRequest(client);
    await cancelled;
    expect(await runStatement(client, ADD, [1, 'a'], true)).toEqual([{ sum: 2, note: 'a' }]);
  });
});

/** Two functions of `src/capabilities/citus` repeat what PostgreSQL does. */
describe('the service does the same as PostgreSQL', () => {
  it('to hash UUIDs', async () => {
    const edges = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
    const ours = [...edges, ...Array.from({ length: 498 }, () => uuidV7())];
    const { rows } = await client.query<{ uuid: string; hash: number }>(
      `select uuid, uuid_hash(uuid) as hash from (
         select unnest($1::uuid[]) as uuid union all select gen_random_uuid() from generate_series(1, 500)) uuids`,
      [ours],
    );
    expect(rows).toHaveLength(1_000);
    expect(rows.filter(({ uuid, hash }) => hashUuid(uuid) !== hash)).toEqual([]);
  });

  it('to write the text of a row with any values, which the service parses', async () => {
    const special = ['', ' ', 'a,b', '(c)', '"', '\\', '\\"', '""', "it's", 'd\ne', '{"f": "\\"g\\""}'];
    const values = ['1', null, ...special, null];
    const row = values.map((_, at) => `$${at + 1}::text`).join();
    const { rows } = await client.query<{ row: string }>(`select row(${row})::text as row`, values);
    expect(valuesOfRow(rows[0]!.row)).toEqual(values);
  });
});
