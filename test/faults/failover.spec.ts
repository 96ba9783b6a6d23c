import { eventually } from '../support/eventually.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import type { TestDatabase } from '../support/test-database.js';
import { expectAnswered } from './support/answered.js';
import { PostgresServer } from './support/postgres-server.js';
import { startOn, useFaults } from './support/use-service.js';
import { Writers } from './support/writers.js';

const POOL_SIZE = 4;

let primary: PostgresServer;
let replica: PostgresServer;
let promoted: TestDatabase;
const use = useFaults(async () => {
  primary = await PostgresServer.create();
  await primary.stop();
  replica = await primary.replica();
  await Promise.all([primary.start(), replica.start()]);
  promoted = await replica.database();
  return primary.database();
});
afterAll(() => promoted.close());

async function ask<T>({ dataSource }: TestDatabase, expression: string): Promise<T | undefined> {
  const [row] = await dataSource.query<{ answer: T }[]>(`select ${expression} as answer`);
  return row?.answer;
}

it('after a failover behind one address, rejects one write and then works on the new primary, which has all data', async () => {
  const proxy = await startDatabaseProxy(use.database.connection);
  try {
    const service = await startOn(use, { DATABASE_URL: proxy.url, DATABASE_POOL_SIZE: `${POOL_SIZE}` });
    const writers = new Writers(use, 1);
    const before = writers.start(service.url);
    await eventually('writes', () => writers.acknowledged >= 100, 20_000);

    await use.database.dataSource.query('alter system set default_transaction_read_only = on');
    await use.database.dataSource.query('select pg_reload_conf()');
    await eventually('refusals', () => (before.summary['503'] ?? 0) >= 5);
    writers.halt();
    await before.done();
    expectAnswered(before);
    const written = await ask<string>(use.database, 'pg_current_wal_lsn()');
    await eventually('the replica has it all', () =>
      ask<boolean>(promoted, `pg_last_wal_replay_lsn() >= '${written}'`),
    );
    expect(await ask(promoted, 'pg_promote()')).toBe(true);
    // Reads still work on connections to the old primary.
    const reads = await Promise.all(
      Array.from({ length: POOL_SIZE * 5 }, () => service.own.get('/api/v1/forms')),
    );
    expect(reads.filter(({ status }) => status !== 200)).toEqual([]);

    proxy.redirect(promoted.connection);
    const after = writers.start(service.url);
    await eventually('writes again', () => writers.acknowledged >= 200, 20_000);
    writers.finish();
    await after.done();
    expectAnswered(after);
    expect(after.outcomes[0]?.status).toBe(503);
    expect(after.summary['503']).toBe(1);
    await writers.expectAllStoredOnce(promoted.dataSource);

    await promoted.dataSource.query(`update forms set name = 'On the new primary'`);
    const schema = `/api/v1/forms/${use.built.form.uuid}/schema`;
    await eventually('what is committed there is served', async () => {
      return (await service.own.get(schema)).body.data.name === 'On the new primary';
    });
  } finally {
    await proxy.close();
  }
});
