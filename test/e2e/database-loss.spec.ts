import { BigintRecords1795737600000 } from '../../src/migrations/1795737600000-bigint-records.js';
import type { Answer, Client } from '../support/client.js';
import { client } from '../support/client.js';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { newUser, type Service, startService } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';
import { asAnotherProgram, testServer } from '../support/test-server.js';

/** Maximum milliseconds until a request gets 503 (E2). */
const CONTRACT = 5_000;

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: Service;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

beforeEach(async () => {
  proxy = await startDatabaseProxy(database.connection);
  const throughProxy = { ...database, connection: proxy.connection };
  service = await startService(throughProxy, { DATABASE_POOL_SIZE: '2' });
});
afterEach(async () => {
  await proxy.heal();
  proxy.cut();
  await service.close();
  await proxy.close();
});

async function draft() {
  const user = await newUser({ database, service });
  const { form, fields } = await buildForm(database.dataSource, { steps: [{ name: {} }, { note: {} }] });
  const created = await user.client.post('/api/v1/submissions', { form_uuid: form.uuid });
  return { ...user, form, fields, path: `/api/v1/submissions/${created.body.data.uuid}` };
}

/** Requests to most routes, by name. `fromMemory` needs no database while the cache of forms is fresh. */
function everyRoute({ client: own, form, fields, path }: Awaited<ReturnType<typeof draft>>) {
  const values = { values: [{ field_id: fields['name']!.id, value: 'Ada' }] };
  const newKey = () => ({ 'Idempotency-Key': `${Math.random()}` });
  const { anyone } = service;
  const fromMemory: Record<string, () => Promise<Answer>> = {
    form: () => anyone.get(`/api/v1/forms/${form.uuid}`),
    'form by slug': () => anyone.get(`/api/v1/forms/${form.slug}/by-slug`),
    schema: () => anyone.get(`/api/v1/forms/${form.uuid}/schema`),
  };
  const fromDatabase: Record<string, () => Promise<Answer>> = {
    list: () => anyone.get('/api/v1/forms'),
    create: () => own.post('/api/v1/submissions', { form_uuid: form.uuid }),
    'create once': () => own.post('/api/v1/submissions', { form_uuid: form.uuid }, newKey()),
    get: () => own.get(path),
    patch: () => own.patch(path, { meta: { a: 1 } }),
    values: () => own.post(`${path}/values`, values),
    advance: () => own.post(`${path}/advance`),
    'advance once': () => own.post(`${path}/advance`, undefined, newKey()),
    retreat: () => own.post(`${path}/retreat`),
    conditions: () => own.get(`${path}/conditions`),
    ready: () => anyone.get('/health/ready'),
  };
  return { fromDatabase, all: { ...fromMemory, ...fromDatabase } };
}

async function timed(ask: () => Promise<Answer>) {
  const startedAt = performance.now();
  const answer = await ask();
  return { answer, took: performance.now() - startedAt };
}

/** Sends all requests in parallel, so that they also compete for connections. */
async function expectUnavailable(requests: Record<string, () => Promise<Answer>>) {
  const outcomes = await Promise.all(
    Object.entries(requests).map(async ([name, ask]) => ({ name, ...(await timed(ask)) })),
  );
  for (const { name, answer } of outcomes) {
    expect({ name, status: answer.status }).toEqual({ name, status: 503 });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    if (name !== 'ready') expectRefusal(answer, 503);
  }
  expect(
    outcomes.filter(({ took }) => took >= CONTRACT).map(({ name, took }) => `${name}: ${took} ms`),
  ).toEqual([]);
}

async function expectServiceAgain(requests: Record<string, () => Promise<Answer>>) {
  for (const [name, ask] of Object.entries(requests)) {
    await eventually(`${name} works again`, async () => {
      const { status } = await ask();
      // 422 is a success too, because repeated requests advance beyond the last step or retreat before the first.
      return [200, 201, 422].includes(status);
    });
  }
  await eventually('the instance hears again', () => service.isHearing());
}

/** Expects that the service still serves a change of a form at once (F9). */
async function expectFreshness(uuid: string) {
  const schema = async () => (await service.anyone.get(`/api/v1/forms/${uuid}/schema`)).body.data.name;
  await schema();
  const name = `Renamed ${Math.random()}`;
  await asAnotherProgram(database.connection, (program) =>
    program.query('update forms set name = $1 where uuid = $2', [name, uuid]),
  );
  await eventually('the new name is served', async () => (await schema()) === name);
}

/** The number of connections of the service that wait for a lock. */
async function lockWaits(): Promise<number> {
  // Query outside of a transaction, because pg_stat_activity never changes within a transaction.
  const [row] = await database.dataSource.query<{ waiting: number }[]>(
    `select count(*)::int as waiting from pg_stat_activity where datname = current_database()
       and application_name = 'formtrail' and wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}

const LOSSES: [string, () => Promise<void> | void][] = [
  ['refuses connections', () => proxy.refuse()],
  [
    'is behind a network that drops packets',
    () => {
      proxy.swallow();
    },
  ],
];

describe.each(LOSSES)('E2: when the database %s', (_, lose) => {
  it('every route returns 503 within 5 seconds, and works again once it is back', async () => {
    const to = await draft();
    const { fromDatabase, all } = everyRoute(to);
    for (const ask of Object.values(all)) expect((await ask()).status).toBeLessThan(500);

    await lose();
    await expectUnavailable(fromDatabase);
    // The cache may be stale now, because no notification arrives (F9).
    await eventually('the instance knows that it hears nothing', async () => !(await service.isHearing()));
    await expectUnavailable(all);
    expect((await service.anyone.get('/health/live')).status).toBe(200);

    await proxy.heal();
    await expectServiceAgain(all);
    await expectFreshness(to.form.uuid);
  }, 40_000);
});

it('E5: a token that cannot be looked up gets 503, not 429, even if its address is over its limit', async () => {
  const limited = await startService({ ...database, connection: proxy.connection }, { THROTTLE_LIMIT: '2' });
  try {
    const [known, unknown] = [
      await newUser({ database, service: limited }),
      await newUser({ database, service: limited }),
    ];
    const path = '/api/v1/submissions';
    expect((await known.client.get(path)).status).toBe(200);
    for (let request = 0; request < 2; request += 1) await limited.anyone.get('/api/v1/forms');
    expect((await limited.anyone.get('/api/v1/forms')).status).toBe(429);
    await proxy.refuse();
    await eventually('it hears nothing', async () => !(await limited.isHearing()));
    for (let request = 0; request < 4; request += 1)
      for (const { client: own } of [known, unknown]) expectRefusal(await own.get(path), 503);
    await proxy.heal();
    await eventually('it hears again', () => limited.isHearing());
    for (const { client: own } of [known, unknown]) expect((await own.get(path)).status).toBe(200);
  } finally {
    await limited.close();
  }
});

it('E5: a request whose token could not be looked up does not count against its address', async () => {
  const limited = await startService({ ...database, connection: proxy.connection }, { THROTTLE_LIMIT: '2' });
  try {
    const { client: own } = await newUser({ database, service: limited });
    await proxy.refuse();
    await eventually('it hears nothing', async () => !(await limited.isHearing()));
    for (let request = 0; request < 4; request += 1) expectRefusal(await own.get('/api/v1/submissions'), 503);
    await proxy.heal();
    await eventually('it hears again', () => limited.isHearing());
    expect((await own.get('/api/v1/submissions')).status).toBe(200);
  } finally {
    await limited.close();
  }
}, 20_000);

describe('E2: when the database does not allow connections', () => {
  const letIn = async (allowed: boolean) => {
    const name = database.dataSource.driver.database;
    await asAnotherProgram(testServer().connection, (program) =>
      program.query(`alter database ${name} with allow_connections ${allowed}`),
    );
  };
  afterEach(() => letIn(true));

  it('every route returns 503, and works again once it does', async () => {
    const { fromDatabase, all } = everyRoute(await draft());
    await letIn(false);
    proxy.cut();
    await expectUnavailable(fromDatabase);
    await letIn(true);
    await expectServiceAgain(all);
  }, 40_000);
});

describe('E2: when connections are reset', () => {
  it('the service continues with new connections at once', async () => {
    const to = await draft();
    const { all } = everyRoute(to);
    for (let round = 0; round < 3; round += 1) {
      proxy.cut();
      await expectServiceAgain(all);
    }
    await expectFreshness(to.form.uuid);
  }, 20_000);

  itOnOneServer.each<[string, (own: Client, path: string) => Promise<Answer>]>([
    ['a statement', (own, path) => own.patch(path, { meta: { a: 1 } })],
    ['a transaction', (own, path) => own.post(`${path}/advance`, undefined, { 'Idempotency-Key': 'once' })],
  ])('a request in the middle of %s gets 503 and changes nothing', async (_, ask) => {
    const { client: own, path } = await draft();
    await asAnotherProgram(database.connection, async (program) => {
      await program.query('begin');
      await program.query('lock table submissions in exclusive mode');
      const request = timed(() => ask(own, path));
      await eventually('the request waits for the table', async () => (await lockWaits()) > 0);
      proxy.cut();
      const { answer, took } = await request;
      expectRefusal(answer, 503);
      expect(took).toBeLessThan(CONTRACT);
      // PostgreSQL notices a lost connection only when it sends a result, so end the waiting sessions here.
      await program.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
           and application_name = 'formtrail' and wait_event_type = 'Lock'`,
      );
      await program.query('rollback');
    });
    await eventually('service again', async () => (await own.get(path)).status === 200);
    expect((await own.get(path)).body.data).toMatchObject({ current_step: 1, meta: null });
  });

  itOnOneServer(
    'requests in the middle of either get 503 if the network drops their packets',
    async () => {
      const [one, other] = [await draft(), await draft()];
      await asAnotherProgram(database.connection, async (program) => {
        await program.query('begin');
        await program.query('lock table submissions in exclusive mode');
        const requests = [
          timed(() => one.client.patch(one.path, { meta: { a: 1 } })),
          timed(() => other.client.post(`${other.path}/advance`, undefined, { 'Idempotency-Key': 'once' })),
        ];
        await eventually('both wait for the table', async () => (await lockWaits()) === 2);
        proxy.swallow();
        for (const request of requests) {
          const { answer, took } = await request;
          expectRefusal(answer, 503);
          expect(took).toBeLessThan(CONTRACT);
        }
        await program.query('rollback');
      });
    },
    15_000,
  );
});

describe('more parallel requests than connections', () => {
  it('all succeed', async () => {
    const to = await draft();
    const { client: own, form, path } = to;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, number) => {
        switch (number % 6) {
          case 0:
            return own.post('/api/v1/submissions', { form_uuid: form.uuid });
          case 1:
            return own.post(
              '/api/v1/submissions',
              { form_uuid: form.uuid },
              { 'Idempotency-Key': `${number}` },
            );
          case 2:
            return own.patch(path, { meta: { number } });
          case 3:
            return own.get(path);
          case 4:
            return service.anyone.get('/api/v1/forms');
          default:
            return own.post(`${path}/values`, { values: [{ field_code: 'name', value: `${number}` }] });
        }
      }),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 201)).toEqual(
      [],
    );
  });

  it('all succeed while transactions hold every connection and a form has to be reloaded', async () => {
    const { client: own, form } = await draft();
    const create = (key: string) =>
      own.post('/api/v1/submissions', { form_uuid: form.uuid }, { 'Idempotency-Key': key });
    await asAnotherProgram(database.connection, async (program) => {
      await program.query('begin');
      // Blocks requests in the middle of their transactions.
      await program.query('lock table idempotency_keys');
      const holders = [create('one'), create('two')];
      await eventually('both connections are taken', async () => (await lockWaits()) === 2);
      await service.hearing(() =>
        database.dataSource.query(`update forms set description = 'new' where id = $1`, [form.id]),
      );
      const others = Array.from({ length: 10 }, () =>
        service.anyone.get(`/api/v1/forms/${form.uuid}/schema`),
      );
      await eventually('the others are under way', async () => (await service.openConnections()) >= 12);
      await program.query('rollback');

      const answers = await Promise.all([...holders, ...others]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, ...others.map(() => 200)]);
    });
  });
});

describe('a row that another session has locked', () => {
  it('delays only requests that need it, and these get 503 and are not executed later', async () => {
    const [held, other] = [await draft(), await draft()];
    await asAnotherProgram(database.connection, async (program) => {
      await program.query('begin');
      await program.query('select from submissions where uuid = $1 for update', [
        held.path.split('/').at(-1),
      ]);
      const refused = [
        () => held.client.patch(held.path, { meta: { a: 1 } }),
        () => held.client.post(`${held.path}/advance`),
        () => held.client.post(`${held.path}/advance`, undefined, { 'Idempotency-Key': 'once' }),
        () => held.client.post(`${held.path}/values`, { values: [{ field_code: 'name', value: 'Ada' }] }),
      ].map(timed);
      // Send more requests than the pool has connections, before the first blocked request times out.
      for (let number = 0; number < 5; number += 1) {
        expect((await other.client.patch(other.path, { meta: { number } })).status).toBe(200);
      }
      expect(await lockWaits()).toBe(0);
      for (const { answer, took } of await Promise.all(refused)) {
        expectRefusal(answer, 503);
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        expect(took).toBeLessThan(CONTRACT);
      }
      await program.query('rollback');
    });
    const { body } = await held.client.get(held.path);
    expect(body.data).toMatchObject({ meta: null, current_step: 1, values: [] });
  }, 20_000);
});

describe('a client that disconnects', () => {
  it('leaves no open transaction, and its connections return to the pool', async () => {
    const { plainToken, form } = await draft();
    const gone = new AbortController();
    const others = client(service.url, { Authorization: `Bearer ${plainToken}` });

    await asAnotherProgram(database.connection, async (program) => {
      await program.query('begin');
      // Blocks inserts of submissions.
      await program.query('lock table submissions in exclusive mode');
      const requests = Array.from({ length: 2 }, (_, number) =>
        fetch(`${service.url}/api/v1/submissions`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${plainToken}`,
            'Content-Type': 'application/json',
            'Idempotency-Key': `key ${number}`,
          },
          body: JSON.stringify({ form_uuid: form.uuid }),
          signal: gone.signal,
        }),
      );
      await eventually('the requests wait', async () => (await lockWaits()) === requests.length);
      gone.abort();
      for (const request of requests) await expect(request).rejects.toThrow();
      await program.query('rollback');
    });

    await eventually('no transaction is open', async () => {
      const [row] = await database.dataSource.query<{ open: number }[]>(
        `select count(*)::int as open from pg_stat_activity where datname = current_database()
           and application_name = 'formtrail' and pid <> pg_backend_pid() and xact_start is not null`,
      );
      return row?.open === 0;
    });
    // Both connections of the pool are free again.
    const answers = await Promise.all([1, 2, 3].map(() => others.get('/api/v1/forms')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

itOnOneServer('the service works after a migration changes the result type of its statements', async () => {
  const { client: own, form, path } = await draft();
  await database.dataSource.query(
    `insert into entities (form_id, name, label, is_repeatable) values ($1, 'receipt', 'Receipt', true)`,
    [form.id],
  );
  const add = () => own.post(`${path}/records`, { entity: 'receipt' });
  const addedOnEachConnection = () =>
    eventually('each connection has prepared the statement anew', async () => {
      const answers = await Promise.all([add(), add(), add(), add()]);
      for (const answer of answers) if (answer.status !== 201) expectRefusal(answer, 503);
      return answers.every(({ status }) => status === 201);
    });
  await addedOnEachConnection();
  const runner = database.dataSource.createQueryRunner();
  const migration = new BigintRecords1795737600000();
  await migration.down(runner);
  await addedOnEachConnection();
  await migration.up(runner);
  await addedOnEachConnection();
  await runner.release();
});
