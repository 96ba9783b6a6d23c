import { type Answer, client } from '../support/client.js';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.js';
import { type Draft, newDraft } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, type Service, startService, withServiceOn } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';
import { asAnotherProgram } from '../support/test-server.js';

/** Maximum milliseconds until a request gets 503 (E2). */
const CONTRACT = 5_000;

/** The service has two connections to the database, through a proxy, which is healed after each test. */
const use = {} as { database: TestDatabase; service: Service };
let proxy: DatabaseProxy;

beforeAll(async () => {
  use.database = await testDatabase();
  proxy = await startDatabaseProxy(use.database.connection);
  const throughProxy = { ...use.database, connection: proxy.connection };
  use.service = await startService(throughProxy, { DATABASE_POOL_SIZE: '2' });
});
afterEach(async () => {
  await proxy.heal();
  await eventually('the service works and hears again', async () => {
    // Use both connections.
    const answers = await Promise.all([1, 2, 3].map(() => use.service.anyone.get('/api/v1/forms')));
    return answers.every(({ status }) => status === 200) && use.service.isHearing();
  });
});
afterAll(async () => {
  proxy.cut();
  await use.service.close();
  await proxy.close();
  await use.database.close();
});

const newDraftHere = (): Promise<Draft> => newDraft(use, [{ name: {} }, { note: {} }]);

/** Requests to most routes, by name. Those in `fromDatabase` need the database even while the cache of forms is fresh. */
function everyRoute({ client: own, form, path }: Draft) {
  const { anyone } = use.service;
  const values = { values: [{ field_code: 'name', value: 'Ada' }] };
  const newKey = () => ({ 'Idempotency-Key': `${Math.random()}` });
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

/** Expects 503 within the time of the contract, and `Retry-After`. `expectRefusal` does not fit the body of readiness. */
async function expectUnavailable(ask: () => Promise<Answer>): Promise<void> {
  const startedAt = performance.now();
  const answer = await ask();
  expect(performance.now() - startedAt).toBeLessThan(CONTRACT);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  if (answer.body.checks === undefined) expectRefusal(answer, 503);
  else expect(answer.status).toBe(503);
}

/** Sends all requests in parallel, so that they also compete for connections. */
const expectAllUnavailable = (requests: Record<string, () => Promise<Answer>>) =>
  Promise.all(Object.values(requests).map(expectUnavailable));

async function expectServiceAgain(requests: Record<string, () => Promise<Answer>>) {
  for (const [name, ask] of Object.entries(requests))
    await eventually(`${name} works again`, async () => {
      const { status } = await ask();
      // 422 is a success too, because repeated requests advance beyond the last step or retreat before the first.
      return [200, 201, 422].includes(status);
    });
  await eventually('the instance hears again', () => use.service.isHearing());
}

/** Expects that the service still serves a change of a form at once (F9). */
async function expectFreshness({ form }: Draft) {
  const schema = async () =>
    (await use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`)).body.data.name;
  await schema();
  const name = `Renamed ${Math.random()}`;
  await asAnotherProgram(use.database.connection, (program) =>
    program.query('update forms set name = $1 where uuid = $2', [name, form.uuid]),
  );
  await eventually('the new name is served', async () => (await schema()) === name);
}

/** The number of connections of the service that wait for a lock. */
async function lockWaits(): Promise<number> {
  // Query outside of a transaction, because pg_stat_activity never changes within a transaction.
  const [row] = await use.database.dataSource.query<{ waiting: number }[]>(
    `select count(*)::int as waiting from pg_stat_activity where datname = current_database()
       and application_name = 'formtrail' and wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}

const create = ({ client: own, form }: Draft, headers = {}) =>
  own.post('/api/v1/submissions', { form_uuid: form.uuid }, headers);
const patch = ({ client: own, path }: Draft, meta: object) => own.patch(path, { meta });
const store = ({ client: own, path }: Draft, value: string) =>
  own.post(`${path}/values`, { values: [{ field_code: 'name', value }] });
const advance = ({ client: own, path }: Draft, headers = {}) =>
  own.post(`${path}/advance`, undefined, headers);
const ONCE = { 'Idempotency-Key': 'once' };

/** Executes the SQL in a transaction, then the work, and rolls the transaction back. */
const whileLocked = (sql: string, work: (end: () => Promise<unknown>) => Promise<void>) =>
  asAnotherProgram(use.database.connection, async (program) => {
    await program.query('begin');
    await program.query(sql);
    await work(() => program.query('rollback'));
  });

it('when the database refuses connections, every route returns 503 within 5 seconds, until it is back (E2)', async () => {
  const to = await newDraftHere();
  const { fromDatabase, all } = everyRoute(to);
  for (const ask of Object.values(all)) expect((await ask()).status).toBeLessThan(500);

  await proxy.refuse();
  await expectAllUnavailable(fromDatabase);
  // The cache may be stale now, because no notification arrives (F9).
  await eventually('the instance knows that it hears nothing', async () => !(await use.service.isHearing()));
  await expectAllUnavailable(all);
  expect((await use.service.anyone.get('/health/live')).status).toBe(200);

  await proxy.heal();
  await expectServiceAgain(all);
  await expectFreshness(to);
}, 40_000);

it('a token that cannot be looked up gets 503, not 429, and does not count against its address (E5)', () => {
  const database = { ...use.database, connection: proxy.connection };
  return withServiceOn(database, { THROTTLE_LIMIT: '2' }, async (limited) => {
    const users = { database: use.database, service: limited };
    const [known, unknown, uncounted] = [await newUser(users), await newUser(users), await newUser(users)];
    const path = '/api/v1/submissions';
    const lose = async () => {
      await proxy.refuse();
      await eventually('it hears nothing', async () => !(await limited.isHearing()));
    };
    const heal = async () => {
      await proxy.heal();
      await eventually('it hears again', () => limited.isHearing());
    };
    await lose();
    for (let request = 0; request < 4; request += 1) expectRefusal(await uncounted.client.get(path), 503);
    await heal();
    expect((await uncounted.client.get(path)).status).toBe(200);

    expect((await known.client.get(path)).status).toBe(200);
    for (let request = 0; request < 2; request += 1) await limited.anyone.get('/api/v1/forms');
    expect((await limited.anyone.get('/api/v1/forms')).status).toBe(429);
    await lose();
    for (let request = 0; request < 4; request += 1)
      for (const one of [known, unknown]) expectRefusal(await one.client.get(path), 503);
    await heal();
    for (const one of [known, unknown]) expect((await one.client.get(path)).status).toBe(200);
  });
}, 20_000);

describe('when connections are reset (E2)', () => {
  it('the service continues with new connections at once', async () => {
    const to = await newDraftHere();
    for (let round = 0; round < 2; round += 1) {
      proxy.cut();
      await expectServiceAgain(everyRoute(to).all);
    }
    await expectFreshness(to);
  }, 20_000);

  itOnOneServer.each<[string, (to: Draft) => Promise<Answer>]>([
    ['a statement', (to) => patch(to, { a: 1 })],
    ['a transaction', (to) => advance(to, ONCE)],
  ])('a request in the middle of %s gets 503 and changes nothing', async (_, ask) => {
    const to = await newDraftHere();
    await whileLocked('lock table submissions in exclusive mode', async (end) => {
      const request = expectUnavailable(() => ask(to));
      await eventually('the request waits for the table', async () => (await lockWaits()) > 0);
      proxy.cut();
      await request;
      // PostgreSQL notices a lost connection only when it sends a result, so end the waiting sessions here.
      await use.database.dataSource.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
           and application_name = 'formtrail' and wait_event_type = 'Lock'`,
      );
      await end();
    });
    await eventually('service again', async () => (await to.client.get(to.path)).status === 200);
    expect((await to.client.get(to.path)).body.data).toMatchObject({ current_step: 1, meta: null });
  });
});

itOnOneServer(
  'requests whose packets the network drops get 503 within 5 seconds (E2)',
  async () => {
    const [one, other] = [await newDraftHere(), await newDraftHere()];
    await whileLocked('lock table submissions in exclusive mode', async (end) => {
      const requests = [
        expectUnavailable(() => patch(one, { a: 1 })),
        expectUnavailable(() => advance(other, ONCE)),
      ];
      await eventually('both wait for the table', async () => (await lockWaits()) === 2);
      proxy.swallow();
      await Promise.all(requests);
      await end();
    });
    await proxy.heal();
    proxy.cut();
    await expectServiceAgain(everyRoute(one).all);
  },
  15_000,
);

describe('more parallel requests than connections', () => {
  it('all succeed', async () => {
    const [to, other] = [await newDraftHere(), await newDraftHere()];
    const requests: ((number: number) => Promise<Answer>)[] = [
      () => create(to),
      (number) => create(to, { 'Idempotency-Key': `${number}` }),
      (number) => patch(to, { number }),
      () => to.client.get(to.path),
      () => use.service.anyone.get('/api/v1/forms'),
      (number) => store(other, `${number}`),
    ];
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, number) => requests[number % requests.length]!(number)),
    );
    const refused = answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 201);
    expect(refused).toEqual([]);
  });

  it('all succeed while transactions hold every connection and a form has to be reloaded', async () => {
    const to = await newDraftHere();
    // Blocks requests in the middle of their transactions.
    await whileLocked('lock table idempotency_keys', async (end) => {
      const holders = ['one', 'two'].map((key) => create(to, { 'Idempotency-Key': key }));
      await eventually('both connections are taken', async () => (await lockWaits()) === 2);
      await use.service.hearing(() =>
        use.database.dataSource.query(`update forms set description = 'new' where id = $1`, [to.form.id]),
      );
      const others = Array.from({ length: 10 }, () =>
        use.service.anyone.get(`/api/v1/forms/${to.form.uuid}/schema`),
      );
      await eventually('the others are under way', async () => (await use.service.openConnections()) >= 12);
      await end();
      const answers = await Promise.all([...holders, ...others]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, ...others.map(() => 200)]);
    });
  });
});

it('a row that another session has locked delays only requests that need it, and these are not executed later', async () => {
  const [held, other] = [await newDraftHere(), await newDraftHere()];
  await whileLocked(`select from submissions where uuid = '${held.uuid}' for update`, async (end) => {
    const refused = [
      () => patch(held, { a: 1 }),
      () => advance(held),
      () => advance(held, ONCE),
      () => store(held, 'Ada'),
    ].map(expectUnavailable);
    // Send more requests than the pool has connections, before the first blocked request times out.
    for (let number = 0; number < 5; number += 1) expect((await patch(other, { number })).status).toBe(200);
    expect(await lockWaits()).toBe(0);
    await Promise.all(refused);
    await end();
  });
  const { body } = await held.client.get(held.path);
  expect(body.data).toMatchObject({ meta: null, current_step: 1, values: [] });
}, 20_000);

itOnOneServer(
  'a client that disconnects leaves no open transaction, and its connections return to the pool',
  async () => {
    const { form } = await newDraftHere();
    const { plainToken } = await newUser(use);
    const gone = new AbortController();
    // Blocks inserts of submissions.
    await whileLocked('lock table submissions in exclusive mode', async (end) => {
      const requests = Array.from({ length: 2 }, (_, number) =>
        fetch(`${use.service.url}/api/v1/submissions`, {
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
      await end();
    });

    await eventually('no transaction is open', async () => {
      const [row] = await use.database.dataSource.query<{ open: number }[]>(
        `select count(*)::int as open from pg_stat_activity where datname = current_database()
         and application_name = 'formtrail' and pid <> pg_backend_pid() and xact_start is not null`,
      );
      return row?.open === 0;
    });
    // Both connections of the pool are free again.
    const others = client(use.service.url, { Authorization: `Bearer ${plainToken}` });
    const answers = await Promise.all([1, 2, 3].map(() => others.get('/api/v1/forms')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  },
);

itOnOneServer('the service works after a migration changes the result type of its statements', async () => {
  const { client: own, form, path } = await newDraftHere();
  await use.database.dataSource.query(
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
  for (const type of ['integer', 'bigint']) {
    await use.database.dataSource.query(`alter table entity_records alter id type ${type}`);
    await addedOnEachConnection();
  }
});
