import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { isOneServer } from '../support/it-on-one-server.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, type Service, startService } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';
import { asAnotherProgram, testServer } from '../support/test-server.js';

const POOL_SIZE = 4;

let database: TestDatabase;
let service: Service;

beforeEach(async () => {
  database = await testDatabase();
  // Simulates connections to a former primary, which stay read-only until they are closed.
  await newConnectionsOnlyRead(true);
  service = await startService(database, { DATABASE_POOL_SIZE: `${POOL_SIZE}` });
});
afterEach(async () => {
  await service.close();
  await database.close();
});

/** Connects to another database, because new connections to the test's database may be read-only. */
async function newConnectionsOnlyRead(only: boolean) {
  const [row] = await database.dataSource.query<{ name: string }[]>('select current_database() as name');
  await asAnotherProgram(testServer().connection, (program) =>
    program.query(`alter database ${row?.name} set default_transaction_read_only = ${only}`),
  );
}

async function connections(): Promise<number> {
  const [row] = await database.dataSource.query<{ open: number }[]>(
    `select count(*)::int as open from pg_stat_activity where datname = current_database()
       and application_name = 'formtrail'`,
  );
  return row?.open ?? 0;
}

describe.each<[string, Record<string, string>]>([
  // Skipped on Citus, where a worker executes the statement, and the worker can write.
  ...(isOneServer ? [['a statement', {}] as [string, Record<string, string>]] : []),
  ['a transaction', { 'Idempotency-Key': 'once' }],
])('E2: after a failover, %s', (_, headers) => {
  it('on a connection to the old primary gets 503, but later requests succeed', async () => {
    const { form } = await buildForm(database.dataSource);
    const user = await newUser({ database, service });
    const create = () => user.client.post('/api/v1/submissions', { form_uuid: form.uuid }, headers);
    // This number includes one connection of the pool.
    const first = await connections();
    await eventually('the pool has opened all its connections', async () => {
      await Promise.all(Array.from({ length: POOL_SIZE * 5 }, () => service.anyone.get('/api/v1/forms')));
      return (await connections()) >= first - 1 + POOL_SIZE;
    });
    // The old primary sends no notifications of commits on the new primary (F9).
    expect(await service.isHearing()).toBe(false);

    await newConnectionsOnlyRead(false);
    const refused = await create();
    expectRefusal(refused, 503);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const answers = await Promise.all(Array.from({ length: POOL_SIZE }, create));
    expect(answers.map(({ status }) => status).filter((status) => status !== 201 && status !== 409)).toEqual(
      [],
    );
    expect((await create()).status).toBe(201);
    await eventually('the instance receives notifications again', () => service.isHearing());
  });
});
