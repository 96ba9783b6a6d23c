import { randomBytes } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { pino } from 'pino';
import { deleteForm, deleteSubmission, eraseUsers } from '../src/cli/deletions.js';
import {
  createWebhookEndpoint,
  SubmissionValue,
  User,
  type WebhookBody,
  type WebhookEvent,
} from '../src/entities.js';
import { purgeDrafts } from '../src/submissions/lifecycle/purge-drafts.js';
import { type OutboxState, Webhooks } from '../src/webhooks/webhooks.service.js';
import { decryptSecret, encryptSecret, newSecret, presentSecret } from '../src/webhooks/secret.js';
import { OUTBOX_STATE, QUEUE_DUE, RELAY } from '../src/webhooks/webhook.statements.js';
import { WEBHOOK_SCHEMA } from '../src/webhooks/webhooks.openapi.js';
import { eventually } from './support/eventually.js';
import { type BuiltForm, buildForm } from './support/forms.js';
import { itOnOneServer as it } from './support/it-on-one-server.js';
import { startReceiver } from './support/receiver.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';

const KEY = randomBytes(32);

/** Milliseconds until a repair surely has an effect: endpoints are checked every 5 seconds, waiting jobs every 10. */
const AFTER_REPAIR = 45_000;

const ajv = new Ajv2020();
addFormats.default(ajv);
const isDescribed = ajv.compile(WEBHOOK_SCHEMA);

let database: TestDatabase;
let user: User;
let form: BuiltForm;
const query = <T>(sql: string, values: unknown[] = []) => database.dataSource.query<T[]>(sql, values);

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

let people = 0;
beforeEach(async () => {
  people += 1;
  const { manager } = database.dataSource;
  user = await manager.save(manager.create(User, { email: `ada-${people}@example.org` }));
  form = await buildForm(database.dataSource, { steps: [{ name: {}, tag: { isRepeatable: true } }] });
});
afterEach(() =>
  query(
    'delete from webhook_endpoints; delete from webhook_outbox; delete from webhook_deliveries; truncate submissions cascade',
  ),
);

interface Listening {
  readonly events?: readonly WebhookEvent[];
  readonly body?: WebhookBody;
  readonly formId?: number;
  readonly url?: string;
}

const listen = ({ url = 'https://receiver.example/hook', ...endpoint }: Listening = {}) =>
  createWebhookEndpoint(database.dataSource.manager, { url, ...endpoint }, KEY.toString('base64'));

async function begin(to: BuiltForm = form): Promise<string> {
  const [{ uuid }] = await database.dataSource.query<[{ uuid: string }]>(
    'insert into submissions (uuid, form_id, user_id) values (gen_random_uuid(), $1, $2) returning uuid',
    [to.form.id, user.id],
  );
  return uuid;
}

const store = (uuid: string, value: string) =>
  database.dataSource.manager.save(
    database.dataSource.manager.create(SubmissionValue, {
      submissionUuid: uuid,
      formId: form.form.id,
      fieldId: form.fields['name']!.id,
      isRepeatable: false,
      value,
    }),
  );

const complete = (uuid: string) =>
  query(`update submissions set status = 'completed', updated_at = now() where uuid = $1`, [uuid]);

/** Turns outbox entries into deliveries, like a webhook worker. */
const relay = () => query(RELAY.text, [1_000]);

/** Turns the outbox into deliveries, and returns all deliveries in order of age, event and endpoint. */
async function outbox() {
  await relay();
  const rows = await query<{ event: string; submission_uuid: string; body: string; endpoint_id: number }>(
    'select event, submission_uuid, body, endpoint_id from webhook_deliveries order by created_at, event, endpoint_id',
  );
  return rows.map((row) => {
    const body = JSON.parse(row.body);
    expect([isDescribed(body), isDescribed.errors]).toEqual([true, null]);
    return { ...row, text: row.body, body };
  });
}
const told = async () => (await outbox()).map(({ event }) => event.replace('submission.', ''));

describe('the outbox', () => {
  it('fires no trigger without endpoints, or when a submission changes without being completed', async () => {
    const uuid = await begin();
    const triggersOf = async (statement: string) => {
      const [{ 'QUERY PLAN': plan }] = await database.dataSource.query<
        [{ 'QUERY PLAN': [{ Triggers: { 'Trigger Name': string; Calls: number }[] }] }]
      >(`explain (analyze, format json) ${statement}`);
      return plan[0].Triggers.map((one) => `${one['Trigger Name']}: ${one.Calls}`);
    };
    const where = `where uuid = '${uuid}'`;
    expect(await triggersOf(`update submissions set updated_at = now(), current_step = 1 ${where}`)).toEqual(
      [],
    );
    expect(await triggersOf(`update submissions set status = status, meta = null ${where}`)).toEqual([]);
    const completed = `update submissions set status = 'completed' ${where}`;
    expect(await triggersOf(completed)).toEqual([]);
    expect(await triggersOf(`delete from submissions ${where}`)).not.toContain('webhooks_delete: 1');
    expect(await outbox()).toEqual([]);

    const another = await begin();
    await listen({ events: ['submission.created'] });
    const again = completed.replace(uuid, another);
    expect(await triggersOf(again)).toEqual(['webhooks_complete: 1']);
  });

  it('has an event only once it is committed, with the values of that moment', async () => {
    const { id } = await listen({ events: ['submission.completed'], body: 'full' });
    const uuid = await begin();
    await store(uuid, 'Ada');
    await query('begin; select 1; rollback');
    await database.dataSource
      .transaction(async (manager) => {
        await manager.query(`update submissions set status = 'completed' where uuid = $1`, [uuid]);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect(await outbox()).toEqual([]);

    await complete(uuid);
    await query(`update submission_values set value = 'Grace'`);
    await query(`update submissions set status = 'completed' where uuid = $1`, [uuid]);

    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const { id: fieldId } = form.fields['name']!;
    expect(await outbox()).toEqual([
      {
        event: 'submission.completed',
        submission_uuid: uuid,
        endpoint_id: id,
        text: expect.any(String),
        body: {
          type: 'submission.completed',
          timestamp: iso,
          data: {
            form: { uuid: form.form.uuid, slug: form.form.slug, version: expect.any(Number) },
            submission: {
              uuid,
              form_id: form.form.id,
              status: 'completed',
              current_step: 1,
              begun_version: null,
              completed_version: null,
              meta: null,
              created_at: iso,
              updated_at: iso,
              user_email: user.email,
              values: [{ field_id: fieldId, field_code: 'name', value: 'Ada', entity_record_id: null }],
            },
            truncated: false,
          },
        },
      },
    ]);
  });

  it('has a thin body below a kilobyte without personal data, even with the longest slug', async () => {
    await query(`update forms set slug = $1 where id = $2`, ['a'.repeat(255), form.form.id]);
    await listen();
    const uuid = await begin();
    await store(uuid, 'Ada');
    await complete(uuid);
    const [{ text, body } = { text: '', body: null }] = await outbox();
    expect(Buffer.byteLength(text)).toBeLessThan(1_024);
    expect(Object.keys(body.data.submission)).toEqual([
      ...['uuid', 'form_id', 'status', 'current_step', 'begun_version', 'completed_version'],
      ...['created_at', 'updated_at'],
    ]);
    await query(`update forms set slug = $1 where id = $2`, [`form-of-${people}`, form.form.id]);
  });

  it('has a thin body marked as truncated instead of a full one above 256 KiB', async () => {
    await listen({ body: 'full' });
    const uuid = await begin();
    const [entity] = await query<{ id: number }>(
      `insert into entities (form_id, name, label, is_repeatable) values ($1, 'item', 'Item', true) returning id`,
      [form.form.id],
    );
    await query('update fields set entity_id = $1 where id = $2', [entity!.id, form.fields['tag']!.id]);
    await query(
      `with record as (
         insert into entity_records (submission_uuid, form_id, entity_id) select $1, $2, $3 from generate_series(1, 5)
         returning id
       ) insert into submission_values (submission_uuid, field_id, form_id, is_repeatable, entity_record_id, value)
         select $1, $4, $2, true, id, repeat('ä', 30000) from record`,
      [uuid, form.form.id, entity!.id, form.fields['tag']!.id],
    );
    await complete(uuid);
    expect((await outbox())[0]!.body.data).toMatchObject({ truncated: true });
    expect((await outbox())[0]!.text.length).toBeLessThan(1_024);
  });

  it('has an event for each enabled endpoint of the event and the form', async () => {
    const other = await buildForm(database.dataSource);
    const { id: all } = await listen({
      events: ['submission.created', 'submission.completed', 'submission.deleted'],
    });
    const { id: own } = await listen({ formId: form.form.id });
    const { id: disabled } = await listen();
    await query(`update webhook_endpoints set disabled_reason = 'by hand' where id = $1`, [disabled]);
    await complete(await begin());
    await complete(await begin(other));
    const written = (await outbox()).map(({ event, endpoint_id }) => [
      event.slice('submission.'.length),
      endpoint_id,
    ]);
    expect(written.filter(([, id]) => id === all)).toEqual([
      ['created', all],
      ['completed', all],
      ['created', all],
      ['completed', all],
    ]);
    expect(written.filter(([, id]) => id !== all)).toEqual([['completed', own]]);
  });

  it('has two events, created and completed, if a submission is inserted as completed', async () => {
    await listen({ events: ['submission.created', 'submission.completed'] });
    await query(
      `insert into submissions (uuid, form_id, user_id, status) values (gen_random_uuid(), $1, $2, 'completed')`,
      [form.form.id, user.id],
    );
    expect((await told()).toSorted()).toEqual(['completed', 'created']);
  });

  it.each([
    ['a deletion', (uuid: string) => deleteSubmission(database.dataSource, uuid)],
    [
      'a purge',
      () => purgeDrafts(database.dataSource, { formId: undefined, before: 'infinity' }, () => undefined),
    ],
    [
      'an erasure',
      () => eraseUsers(database.dataSource, [{ id: user.id, email: user.email, identities: [] }]),
    ],
    [
      'the deletion of its form',
      () => deleteForm(database.dataSource, form.form.slug, { withSubmissions: true }),
    ],
    ['TRUNCATE', () => query('truncate users cascade')],
  ])('has the event of a submission that is deleted by %s, with its last values', async (_, remove) => {
    await listen({ events: ['submission.deleted'], body: 'full' });
    const uuid = await begin();
    await store(uuid, 'Ada');
    await remove(uuid);
    expect(await outbox()).toMatchObject([
      {
        submission_uuid: uuid,
        body: {
          type: 'submission.deleted',
          data: { submission: { status: 'draft', user_email: user.email, values: [{ value: 'Ada' }] } },
        },
      },
    ]);
  });
});

describe('deliveries', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let webhooks: Webhooks | undefined;
  let lines: Record<string, unknown>[];

  beforeEach(async () => {
    receiver = await startReceiver();
    lines = [];
  });
  afterEach(async () => {
    await stop();
    await receiver.close();
  });

  const stop = async () => {
    await webhooks?.close();
    webhooks = undefined;
  };

  const start = async (allow = ['127.0.0.1']) => {
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    webhooks = await new Webhooks({ connection: database.connection, key: KEY, allow, logger }).start();
    return webhooks;
  };
  const happen = async () => {
    const uuid = await begin();
    await complete(uuid);
    return uuid;
  };
  const received = (count: number, within?: number) =>
    eventually(`${count} webhooks`, () => receiver.received.length >= count && receiver.received, within);
  const pending = () =>
    query<{ id: string; attempts: number; last_error: string | null; seconds: number | null }>(
      `select id, attempts, last_error, extract(epoch from next_attempt_at - now())::float8 as seconds
         from webhook_deliveries order by created_at`,
    );
  /** Waits for a delivery with a failed attempt, and returns the delivery. */
  const attempted = (within?: number) =>
    eventually(
      'an attempt',
      async () => (await pending()).find(({ last_error }) => last_error !== null),
      within,
    );
  const endpoint = async () =>
    (
      await query<{ disabled_reason: string | null; failing_since: Date | null }>(
        'select * from webhook_endpoints',
      )
    )[0]!;

  it('have signatures that the Standard Webhooks library accepts, and leave nothing behind', async () => {
    await start();
    const { secret } = await listen({ url: receiver.url });
    const uuid = await happen();
    const [hook] = await received(1);
    expect(hook!.headers['content-type']).toBe('application/json');
    expect(receiver.verify(secret, hook!)).toMatchObject({ data: { submission: { uuid } } });
    expect(() => receiver.verify(presentSecret(newSecret()), hook!)).toThrow('No matching signature');
    expect(() => receiver.verify(secret, { ...hook!, text: `${hook!.text} ` })).toThrow(
      'No matching signature',
    );
    await eventually('an empty outbox', async () => (await pending()).length === 0);
    await eventually('an empty queue', async () => {
      return (await query(`select from formtrail_queue.jobs where task_identifier = 'deliver'`)).length === 0;
    });
    expect(webhooks!.deliveries.counts).toEqual({ delivered: 1, failed: 0, gave_up: 0 });
  });

  it('include events that were written while no worker ran', async () => {
    await query('drop schema if exists formtrail_queue cascade');
    await listen({ url: receiver.url });
    const before = [await happen(), await happen()];
    await start();
    const after = await happen();
    const uuids = (await received(3)).map(({ body }) => body.data.submission.uuid);
    expect(uuids.toSorted()).toEqual([...before, after].toSorted());
  });

  it('enter the queue only a few at a time per endpoint, and only one if the endpoint fails, with any number of processes', async () => {
    const { id: healthy } = await listen();
    const { id: failing } = await listen();
    const { id: removed } = await listen();
    await query('update webhook_endpoints set failing_since = now() where id = $1', [failing]);
    await start();
    await stop();
    await query(
      `insert into submissions (uuid, form_id, user_id, status)
         select gen_random_uuid(), $1, $2, 'completed' from generate_series(1, 200)`,
      [form.form.id, user.id],
    );
    await relay();
    await query('delete from webhook_endpoints where id = $1', [removed]);
    await query(
      `update webhook_deliveries set next_attempt_at = now() + interval '1 hour'
        where id in (select id from webhook_deliveries where endpoint_id = $1 limit 150)`,
      [removed],
    );
    await Promise.all([query(QUEUE_DUE), query(QUEUE_DUE)]);
    await query(QUEUE_DUE);
    const queued = await query<{ endpoint_id: number; count: number }>(
      `select endpoint_id, count(*)::integer from formtrail_queue.jobs join webhook_deliveries d on d.id::text = key
        where next_attempt_at <= now() group by endpoint_id order by endpoint_id`,
    );
    expect(queued).toEqual([
      { endpoint_id: healthy, count: 64 },
      { endpoint_id: failing, count: 1 },
      { endpoint_id: removed, count: 50 },
    ]);
    expect(await pending()).toHaveLength(600);
  });

  it('are signed with both secrets during a rotation', async () => {
    const { id, secret: old } = await listen({ url: receiver.url });
    const next = newSecret();
    await query(
      `update webhook_endpoints set previous_secret = secret, secret = $2,
         previous_secret_expires_at = now() + interval '1 day' where id = $1`,
      [id, encryptSecret(next, KEY)],
    );
    await start();
    await happen();
    const [hook] = await received(1);
    receiver.verify(old, hook!);
    receiver.verify(presentSecret(next), hook!);
    await query(`update webhook_endpoints set previous_secret_expires_at = now()`);
    await happen();
    const hooks = await received(2);
    expect(() => receiver.verify(old, hooks[1]!)).toThrow();
    receiver.verify(presentSecret(next), hooks[1]!);
  });

  it('that fail are retried after Retry-After, with the same id and body', async () => {
    receiver.respond = (response) => void response.writeHead(503, { 'Retry-After': '600' }).end('busy');
    await listen({ url: receiver.url });
    await start();
    await happen();
    const failed = await attempted();
    expect(failed).toMatchObject({ attempts: 1, last_error: 'HTTP 503' });
    expect(failed.seconds).toBeGreaterThan(590);
    expect(failed.seconds).toBeLessThanOrEqual(600);
    expect((await endpoint()).failing_since).not.toBeNull();

    receiver.respond = (response) => void response.writeHead(200).end();
    await query('update webhook_deliveries set next_attempt_at = now()');
    const [first, second] = await received(2);
    expect(second!.text).toBe(first!.text);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    await eventually('a success', async () => (await endpoint()).failing_since === null);
  });

  it('are given up after the tenth attempt, and stay stored', async () => {
    receiver.respond = (response) => void response.writeHead(500).end();
    await listen({ url: receiver.url });
    const submission_uuid = await happen();
    await relay();
    await query('update webhook_deliveries set attempts = 9');
    await start();
    expect(await attempted()).toMatchObject({ attempts: 10, seconds: null });
    const [{ id: webhook_id } = {}] = await query<{ id: string }>('select id from webhook_deliveries');
    expect(lines).toContainEqual(
      expect.objectContaining({
        ...{ level: 40, webhook_id, submission_uuid, reason: 'HTTP 500', attempt: 10 },
        msg: expect.stringMatching(/given up.+run "webhooks redeliver"/),
      }),
    );
  });

  it.each([
    ['responds with 410 disable it', 410, '0 days', 'gone: the receiver responded with 410'],
    ['has had no success for five days disable it', 500, '5 days', 'no success for five days'],
    ['has had no success for less do not disable it', 500, '4 days 23 hours', null],
  ])('to an endpoint that %s', async (_, status, failing, reason) => {
    receiver.respond = (response) => void response.writeHead(status).end();
    await listen({ url: receiver.url });
    await query(`update webhook_endpoints set failing_since = now() - $1::interval`, [failing]);
    await happen();
    await start();
    await attempted();
    expect(await endpoint()).toMatchObject({ disabled_reason: reason });
    const disabling = { actor: 'webhooks', action: 'webhook.disabled' };
    const [{ id } = {}] = await query<{ id: number }>('select max(id) as id from webhook_endpoints');
    expect(
      await query(`select actor, action from audit_log where subject = $1 and action <> 'webhook.added'`, [
        `webhook:${id}`,
      ]),
    ).toEqual(reason === null ? [] : [disabling]);
    expect(webhooks!.deliveries.disabledEndpoints).toBe(reason === null ? 0 : 1);
    const disabled = lines.filter(({ msg }) => String(msg).includes('was disabled'));
    expect(disabled.map((line) => line['reason'])).toEqual(reason === null ? [] : [reason]);
  });

  it('to a disabled or removed endpoint are not attempted', async () => {
    const { id } = await listen({ url: receiver.url });
    await happen();
    await query(`update webhook_endpoints set disabled_reason = 'by hand'`);
    await start();
    expect(await attempted()).toMatchObject({ last_error: 'the endpoint is disabled', seconds: null });
    await query('delete from webhook_deliveries; update webhook_endpoints set disabled_reason = null');
    await stop();
    await happen();
    await query('delete from webhook_endpoints where id = $1', [id]);
    await start();
    expect(await attempted()).toMatchObject({ last_error: 'the endpoint was removed', seconds: null });
    expect(receiver.received).toEqual([]);
  });

  it('to this machine are rejected unless WEBHOOK_ALLOW names it', async () => {
    await listen({ url: receiver.url });
    await happen();
    await start([]);
    expect((await attempted()).last_error).toContain('127.0.0.1 is not a public address');
    expect(receiver.received).toEqual([]);
  });

  it('to an endpoint whose secret cannot be decrypted wait until it is repaired, without counting attempts', async () => {
    await listen({ url: receiver.url });
    const { id: broken, secret } = await listen({ url: `${receiver.url}/broken` });
    const [right] = await query<{ secret: Buffer }>('select secret from webhook_endpoints where id = $1', [
      broken,
    ]);
    const setSecret = (stored: Buffer) =>
      query('update webhook_endpoints set secret = $2 where id = $1', [broken, stored]);
    await start();
    // Change the secret after the start, so that the worker notices the wrong key only later.
    await setSecret(encryptSecret(newSecret(), randomBytes(32)));
    for (let at = 0; at < 10; at += 1) await happen();

    await received(10);
    await eventually('an endpoint that cannot be told', () => webhooks!.undecryptable.count === 1);
    await happen();
    await received(11);
    const waiting = await eventually('the others gone', async () => {
      const rows = await pending();
      return rows.length === 11 && rows;
    });
    for (const delivery of waiting) {
      expect(delivery).toMatchObject({ attempts: 0, last_error: null });
      expect(delivery.seconds).toBeLessThanOrEqual(0);
    }
    expect(webhooks!.deliveries.counts).toEqual({ delivered: 11, failed: 0, gave_up: 0 });
    const told = lines.filter(({ endpoint_id }) => endpoint_id === broken);
    expect(told).toEqual([expect.objectContaining({ level: 50, msg: expect.stringContaining('rotate') })]);
    expect(await query('select id from webhook_endpoints where failing_since is not null')).toEqual([]);
    // The jobs stay in the queue for a process with the right key. The worker does not queue them again.
    const jobs = () =>
      query(`select id from formtrail_queue.jobs where task_identifier = 'deliver' order by id`);
    const queued = await eventually('jobs of all that wait', async () => {
      const found = await jobs();
      return found.length === 11 && found;
    });
    await happen();
    await received(12);
    expect(await jobs()).toEqual(expect.arrayContaining(queued));

    await setSecret(right!.secret);
    await received(24, AFTER_REPAIR);
    const late = receiver.received.slice(12);
    for (const hook of late) receiver.verify(secret, hook);
    await eventually('nothing that waits', async () => (await pending()).length === 0);
    expect(webhooks!.deliveries.counts).toEqual({ delivered: 24, failed: 0, gave_up: 0 });
    expect(webhooks!.undecryptable.count).toBe(0);
  });

  it('to an endpoint whose secret cannot be decrypted at the start are not attempted either', async () => {
    await listen({ url: receiver.url });
    const { id } = await listen({ url: receiver.url });
    await query('update webhook_endpoints set secret = $2 where id = $1', [
      id,
      encryptSecret(newSecret(), randomBytes(32)),
    ]);
    await happen();
    const { undecryptable } = await start();
    expect(undecryptable.count).toBe(1);
    await received(1);
    await eventually('one that waits', async () => (await pending()).length === 1);
    // A disabled endpoint receives nothing, so its secret does not matter.
    await query(`update webhook_endpoints set disabled_reason = 'by hand' where id = $1`, [id]);
    await eventually('none', () => undecryptable.count === 0, AFTER_REPAIR);
    expect(await attempted(AFTER_REPAIR)).toMatchObject({
      attempts: 0,
      last_error: 'the endpoint is disabled',
    });
    expect(lines.filter(({ endpoint_id, level }) => endpoint_id === id && level === 50)).toHaveLength(1);
  });

  it('do not start with a key that decrypts no secret, unless there is no secret to decrypt', async () => {
    const start = (key: Buffer) =>
      new Webhooks({
        connection: database.connection,
        key,
        allow: [],
        logger: pino({ level: 'silent' }),
      }).start();
    await (await start(randomBytes(32))).close();
    const { id } = await listen();
    await happen();
    await expect(start(randomBytes(32))).rejects.toThrow(
      `WEBHOOK_KEY does not decrypt the secret of any webhook endpoint (${id}).`,
    );
    expect(await query('select from webhook_outbox')).toHaveLength(1);
    await query(`update webhook_endpoints set disabled_reason = 'by hand'`);
    await (await start(randomBytes(32))).close();
  });

  it('of a crashed process are taken over by another one', async () => {
    await start();
    await stop();
    const { secret } = await listen({ url: receiver.url });
    await happen();
    await relay();
    await query(QUEUE_DUE);
    await query(
      `update formtrail_queue._private_jobs set locked_at = now() - interval '2 minutes', locked_by = 'dead', attempts = 1`,
    );
    await start();
    receiver.verify(secret, (await received(1))[0]!);
  });

  it('to an endpoint that never responds take a quarter of the workers, and do not delay the others', async () => {
    const stuck = await startReceiver();
    stuck.respond = () => undefined;
    await listen({ url: stuck.url });
    await start();
    for (let at = 0; at < 40; at += 1) await happen();
    await eventually('attempts', () => stuck.received.length >= 8);
    await listen({ url: receiver.url });
    for (let at = 0; at < 5; at += 1) await happen();
    await received(5);
    expect(stuck.received.length).toBe(8);
    await stop();
    await stuck.close();
  });

  describe('the state of the outbox', () => {
    const state = async () => {
      const [found] = await query<Omit<OutboxState, 'disabled_endpoints'>>(OUTBOX_STATE);
      return found;
    };
    const hoursAgo = (hours: number) => `now() - interval '${hours} hours'`;

    it('is undefined without endpoints', async () => {
      expect(await state()).toBeUndefined();
      const { outbox } = await start();
      expect(await outbox()).toBeUndefined();
    });

    it('has the numbers and ages of events and deliveries', async () => {
      const { id } = await listen({ url: receiver.url });
      expect(await state()).toEqual({
        events: 0,
        deliveries: 0,
        oldest_pending_seconds: 0,
        oldest_due_seconds: 0,
        disabled_endpoints: 0,
      });
      await happen();
      await query(`update webhook_outbox set created_at = ${hoursAgo(1)}`);
      const waiting = (await state())!;
      expect(waiting).toMatchObject({ events: 1, deliveries: 0 });
      expect(waiting.oldest_pending_seconds).toBeGreaterThanOrEqual(3_600);
      expect(waiting.oldest_due_seconds).toBeGreaterThanOrEqual(3_600);

      await relay();
      await query(`update webhook_deliveries set next_attempt_at = ${hoursAgo(0.5)}`);
      const taken = (await state())!;
      expect(taken).toMatchObject({ events: 0, deliveries: 1 });
      expect(taken.oldest_pending_seconds).toBeGreaterThanOrEqual(3_600);
      expect(taken.oldest_due_seconds).toBeGreaterThanOrEqual(1_800);
      expect(taken.oldest_due_seconds).toBeLessThan(3_600);

      // A delivery that waits for its endpoint or its next attempt is not due.
      for (const change of [
        'update webhook_endpoints set failing_since = now()',
        `update webhook_endpoints set failing_since = null, disabled_reason = 'by hand'`,
        `update webhook_endpoints set disabled_reason = null;
         update webhook_deliveries set next_attempt_at = now() + interval '1 hour'`,
      ]) {
        await query(change);
        expect(await state()).toMatchObject({ deliveries: 1, oldest_due_seconds: 0 });
      }
      await query('delete from webhook_endpoints where id = $1', [id]);
      expect(await state()).toBeUndefined();
    });

    it('counts at most 10,000 deliveries', async () => {
      const { id } = await listen();
      await query(
        `insert into webhook_deliveries (endpoint_id, event, submission_uuid, body, next_attempt_at)
         select $1, 'submission.deleted', gen_random_uuid(), '{}', now() + interval '1 day'
           from generate_series(1, 10500)`,
        [id],
      );
      expect(await state()).toMatchObject({ deliveries: 10_000 });
    });
  });
});

it('secrets are stored encrypted', async () => {
  const { id, secret } = await listen();
  const [row] = await query<{ secret: Buffer }>('select secret from webhook_endpoints where id = $1', [id]);
  expect(presentSecret(decryptSecret(row!.secret, KEY))).toBe(secret);
});
