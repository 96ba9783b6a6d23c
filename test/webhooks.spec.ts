import { randomBytes } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { deleteForm, deleteSubmission, eraseUsers } from '../src/cli/deletions.js';
import { SubmissionValue } from '../src/entities.js';
import { purgeDrafts } from '../src/cli/purge-drafts.js';
import {
  decryptSecret,
  encryptSecret,
  newSecret,
  presentSecret,
} from '../src/capabilities/webhooks/secret.js';
import {
  CLAIM_DUE,
  type DueDelivery,
  OUTBOX_STATE,
} from '../src/capabilities/webhooks/webhook.statements.js';
import { WEBHOOK_SCHEMA } from '../src/capabilities/webhooks/webhooks.openapi.js';
import type { OutboxState } from '../src/capabilities/webhooks/webhook-metrics.js';
import { eventually } from './support/eventually.js';
import { buildEntity, buildForm } from './support/forms.js';
import { itOnOneServer as it } from './support/it-on-one-server.js';
import { KEY, useDelivery, useOutbox } from './support/webhooks.js';

const ajv = new Ajv2020();
addFormats.default(ajv);
const isDescribed = ajv.compile(WEBHOOK_SCHEMA);

const use = useOutbox();
const { query } = use;

const store = (uuid: string, value: string) => {
  const { form, fields } = use.form;
  const key = { submissionUuid: uuid, formId: form.id, fieldId: fields['name']!.id, isRepeatable: false };
  return use.database.dataSource.manager.insert(SubmissionValue, { ...key, value });
};

/** Turns the outbox into deliveries, and returns all deliveries in order of age, event and endpoint. */
async function outbox() {
  await use.relay();
  const rows = await query<{ event: string; submission_uuid: string; body: string; endpoint_id: number }>(
    'select event, submission_uuid, body, endpoint_id from webhook_deliveries order by created_at, event, endpoint_id',
  );
  return rows.map((row) => {
    const body = JSON.parse(row.body);
    expect([isDescribed(body), isDescribed.errors]).toEqual([true, null]);
    return { ...row, text: row.body, body };
  });
}

describe('the outbox (W1)', () => {
  it('fires no trigger without endpoints, or when a submission changes without being completed', async () => {
    const uuid = await use.begin();
    const triggersOf = async (statement: string) => {
      const [row] = await query<{ 'QUERY PLAN': [{ Triggers: { 'Trigger Name': string }[] }] }>(
        `explain (analyze, format json) ${statement}`,
      );
      const names = row!['QUERY PLAN'][0].Triggers.map((one) => one['Trigger Name']);
      return names.filter((name) => name.startsWith('webhooks'));
    };
    const where = `where uuid = '${uuid}'`;
    const completed = `update submissions set status = 'completed', completed_at = now() ${where}`;
    expect(await triggersOf(`update submissions set updated_at = now(), current_step = 1 ${where}`)).toEqual(
      [],
    );
    expect(await triggersOf(completed)).toEqual([]);
    expect(await triggersOf(`delete from submissions ${where}`)).not.toContain('webhooks_delete');
    expect(await outbox()).toEqual([]);

    await use.listen({ events: ['submission.created'] });
    expect(await triggersOf(completed.replace(uuid, await use.begin()))).toEqual(['webhooks_complete']);
  });

  it('has an event only once it is committed, with the values of that moment', async () => {
    const { form, fields } = use.form;
    const { id } = await use.listen({ events: ['submission.completed'], body: 'full' });
    const uuid = await use.begin();
    await store(uuid, 'Ada');
    const complete = `update submissions set status = 'completed' where uuid = '${uuid}'`;
    await use.database.dataSource
      .transaction(async (manager) => {
        await manager.query(complete);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect(await outbox()).toEqual([]);

    await use.complete(uuid);
    await query(`update submission_values set value = 'Grace'`);
    await query(complete);

    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const value = { field_id: fields['name']!.id, field_code: 'name', value: 'Ada', entity_record_id: null };
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
            form: { uuid: form.uuid, slug: form.slug, version: expect.any(Number) },
            submission: {
              ...{ uuid, form_id: form.id, status: 'completed', current_step: 1, meta: null },
              ...{
                begun_version: null,
                completed_version: null,
                locale: null,
                created_at: iso,
                updated_at: iso,
              },
              ...{ user_email: use.user.email, values: [value] },
            },
            truncated: false,
          },
        },
      },
    ]);
  });

  it('has a thin body below a kilobyte without personal data, even with the longest slug (W6)', async () => {
    await query(`update forms set slug = $1 where id = $2`, ['a'.repeat(255), use.form.form.id]);
    await use.listen();
    const uuid = await use.begin();
    await store(uuid, 'Ada');
    await use.complete(uuid);
    const [{ text, body } = { text: '', body: null }] = await outbox();
    expect(Buffer.byteLength(text)).toBeLessThan(1_024);
    expect(Object.keys(body.data.submission)).toEqual([
      ...['uuid', 'form_id', 'status', 'current_step', 'begun_version', 'completed_version', 'locale'],
      ...['created_at', 'updated_at'],
    ]);
    await query(`update forms set slug = uuid::text where id = $1`, [use.form.form.id]);
  });

  it('has a thin body marked as truncated instead of a full one above 256 KiB (W6)', async () => {
    await use.listen({ body: 'full' });
    const uuid = await use.begin();
    const { form, fields } = use.form;
    const item = { name: 'item', isRepeatable: true };
    const { id } = await buildEntity(use.database.dataSource, use.form, item, ['tag']);
    await query(
      `with record as (
         insert into entity_records (submission_uuid, form_id, entity_id) select $1, $2, $3 from generate_series(1, 5)
         returning id
       ) insert into submission_values (submission_uuid, field_id, form_id, is_repeatable, entity_record_id, value)
         select $1, $4, $2, true, id, repeat('ä', 30000) from record`,
      [uuid, form.id, id, fields['tag']!.id],
    );
    await use.complete(uuid);
    const [{ text, body } = { text: '', body: null }] = await outbox();
    expect(body.data).toMatchObject({ truncated: true });
    expect(text.length).toBeLessThan(1_024);
  });

  it('has an event for each enabled endpoint of the event and the form (W2)', async () => {
    const other = await buildForm(use.database.dataSource);
    const events = ['submission.created', 'submission.completed', 'submission.deleted'] as const;
    const { id: all } = await use.listen({ events });
    const { id: own } = await use.listen({ formId: use.form.form.id });
    const { id: disabled } = await use.listen();
    await query(`update webhook_endpoints set disabled_reason = 'by hand' where id = $1`, [disabled]);
    await use.happen();
    await use.complete(await use.begin(other));
    const written = (await outbox()).map(({ event, endpoint_id }) => [event.split('.')[1], endpoint_id]);
    const ofAll = written.filter(([, id]) => id === all).map(([event]) => event);
    expect(ofAll).toEqual(['created', 'completed', 'created', 'completed']);
    expect(written.filter(([, id]) => id !== all)).toEqual([['completed', own]]);
  });

  it('has two events, created and completed, if a submission is inserted as completed', async () => {
    await use.listen({ events: ['submission.created', 'submission.completed'] });
    await use.happenOften(1);
    const events = (await outbox()).map(({ event }) => event);
    expect(events.toSorted()).toEqual(['submission.completed', 'submission.created']);
  });

  it.each<[string, (uuid: string) => Promise<unknown>]>([
    ['a deletion', (uuid) => deleteSubmission(use.database.dataSource, uuid)],
    [
      'the deletion of its form',
      () => deleteForm(use.database.dataSource, use.form.form.slug, { withSubmissions: true }),
    ],
    ['TRUNCATE', () => query('truncate users cascade')],
  ])('has the event of a submission that is deleted by %s, with its last values', async (_, remove) => {
    const user_email = use.user.email;
    await use.listen({ events: ['submission.deleted'], body: 'full' });
    const uuid = await use.begin();
    await store(uuid, 'Ada');
    await remove(uuid);
    const submission = { status: 'draft', user_email, values: [{ value: 'Ada' }] };
    expect(await outbox()).toMatchObject([
      { submission_uuid: uuid, body: { type: 'submission.deleted', data: { submission } } },
    ]);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'a purge',
      () => purgeDrafts(use.database.dataSource, { formId: undefined, before: 'infinity' }, () => undefined),
    ],
    ['an erasure', () => eraseUsers(use.database.dataSource, [{ id: use.user.id, email: use.user.email }])],
  ])('has only a thin event of a submission that is deleted by %s (T1)', async (_, remove) => {
    await use.listen({ events: ['submission.created', 'submission.deleted'], body: 'full' });
    const uuid = await use.begin();
    await remove();
    const [event, ...others] = await outbox();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ submission_uuid: uuid, body: { type: 'submission.deleted' } });
    expect(Object.keys(event!.body.data.submission)).toEqual(
      expect.not.arrayContaining(['values', 'meta', 'user_email']),
    );
  });
});

describe('deliveries', () => {
  const deliveries = useDelivery(use);

  const listenHere = () => use.listen({ url: deliveries.receiver.url });
  /** Claims deliveries like a process that has running attempts, each with its endpoint. */
  const claim = (count: number, ...busy: [endpoint: number, attempts: number][]) =>
    query<DueDelivery>(CLAIM_DUE.text, [
      count,
      busy.map(([id]) => id),
      busy.map(([, attempts]) => attempts),
    ]).then(
      // TypeORM returns the rows and the count of an update.
      (result) => (result as unknown as [DueDelivery[], number])[0],
    );
  const respondWith = (status: number, headers = {}) => {
    deliveries.receiver.respond = (response) => void response.writeHead(status, headers).end();
  };
  const endpoint = async () =>
    (
      await query<{ id: number; disabled_reason: string | null; failing_since: Date | null }>(
        'select * from webhook_endpoints',
      )
    )[0]!;

  it('have signatures that the Standard Webhooks library accepts, and leave nothing behind', async () => {
    const { receiver } = deliveries;
    const webhooks = await deliveries.start();
    const { secret } = await listenHere();
    const uuid = await use.happen();
    const [hook] = await deliveries.received(1);
    expect(hook!.headers['content-type']).toBe('application/json');
    expect(receiver.verify(secret, hook!)).toMatchObject({ data: { submission: { uuid } } });
    const changed = { ...hook!, text: `${hook!.text} ` };
    expect(() => receiver.verify(presentSecret(newSecret()), hook!)).toThrow('No matching signature');
    expect(() => receiver.verify(secret, changed)).toThrow('No matching signature');
    await eventually('an empty outbox', async () => (await deliveries.pending()).length === 0);
    expect(webhooks.attempts.counts).toEqual({ delivered: 1, failed: 0, gave_up: 0 });
  });

  it('include events that were written while no worker ran, and deliveries that a crashed one had claimed (W3)', async () => {
    await listenHere();
    const before = [await use.happen(), await use.happen()];
    await use.relay();
    expect(await claim(32)).toHaveLength(2);
    expect(await claim(32)).toEqual([]);
    await query(`update webhook_deliveries set next_attempt_at = next_attempt_at - interval '1 minute'`);
    before.push(await use.happen());
    await deliveries.start();
    const after = await use.happen();
    const uuids = (await deliveries.received(4)).map(({ body }) => body.data.submission.uuid);
    expect(uuids.toSorted()).toEqual([...before, after].toSorted());
  });

  it('are claimed a few at a time per endpoint, one if the endpoint fails, and never twice', async () => {
    const [healthy, failing, removed] = [await use.listen(), await use.listen(), await use.listen()];
    const ids = [healthy.id, failing.id, removed.id] as const;
    await query('update webhook_endpoints set failing_since = now() where id = $1', [failing.id]);
    await use.happenOften(20);
    await use.relay();
    await query('delete from webhook_endpoints where id = $1', [removed.id]);
    await query(
      `update webhook_deliveries set next_attempt_at = now() + interval '1 hour'
        where id in (select id from webhook_deliveries where endpoint_id = $1 limit 17)`,
      [removed.id],
    );
    const numbers = (rows: readonly { endpoint_id: number }[]) =>
      ids.map((id) => rows.filter(({ endpoint_id }) => endpoint_id === id).length);
    // Endpoints with few running attempts come first.
    expect(numbers(await claim(3, [healthy.id, 2]))).toEqual([0, 1, 2]);
    expect(numbers(await claim(32, [failing.id, 1], [healthy.id, 3]))).toEqual([5, 0, 1]);
    const [one, two] = await Promise.all([claim(32), claim(32)]);
    const again = [...one, ...two].map(({ id }) => id);
    expect(new Set(again).size).toBe(again.length);
    expect(await deliveries.pending()).toHaveLength(60);
  });

  it('are signed with both secrets during a rotation', async () => {
    const { receiver } = deliveries;
    const { id, secret: old } = await listenHere();
    const next = newSecret();
    await query(
      `update webhook_endpoints set previous_secret = secret, secret = $2,
         previous_secret_expires_at = now() + interval '1 day' where id = $1`,
      [id, encryptSecret(next, KEY)],
    );
    await deliveries.start();
    await use.happen();
    const [during] = await deliveries.received(1);
    await query(`update webhook_endpoints set previous_secret_expires_at = now()`);
    await use.happen();
    const [, after] = await deliveries.received(2);
    receiver.verify(old, during!);
    for (const hook of [during!, after!]) receiver.verify(presentSecret(next), hook);
    expect(() => receiver.verify(old, after!)).toThrow();
  });

  it('that fail are retried after Retry-After, with the same id and body (W4)', async () => {
    respondWith(503, { 'Retry-After': '600' });
    await listenHere();
    await deliveries.start();
    await use.happen();
    const failed = await deliveries.attempted();
    expect(failed).toMatchObject({ attempts: 1, last_error: 'HTTP 503' });
    expect(failed.seconds).toBeGreaterThan(590);
    expect(failed.seconds).toBeLessThanOrEqual(600);
    expect((await endpoint()).failing_since).not.toBeNull();

    respondWith(200);
    await query('update webhook_deliveries set next_attempt_at = now()');
    const [first, second] = await deliveries.received(2);
    expect(second!.text).toBe(first!.text);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    await eventually('a success', async () => (await endpoint()).failing_since === null);
  });

  it('are given up after the tenth attempt, and stay stored', async () => {
    respondWith(500);
    await listenHere();
    const submission_uuid = await use.happen();
    await use.relay();
    await query('update webhook_deliveries set attempts = 9');
    await deliveries.start();
    expect(await deliveries.attempted()).toMatchObject({ attempts: 10, seconds: null });
    const [{ id: webhook_id } = {}] = await query<{ id: string }>('select id from webhook_deliveries');
    expect(deliveries.lines).toContainEqual(
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
    respondWith(status);
    await listenHere();
    await query(`update webhook_endpoints set failing_since = now() - $1::interval`, [failing]);
    await use.happen();
    const webhooks = await deliveries.start();
    await deliveries.attempted();
    const { id, disabled_reason } = await endpoint();
    expect(disabled_reason).toBe(reason);
    const audited = await query(
      `select actor, action from audit_log where subject = $1 and action <> 'webhook.added'`,
      [`webhook:${id}`],
    );
    const isDisabled = reason !== null;
    expect(audited).toEqual(isDisabled ? [{ actor: 'webhooks', action: 'webhook.disabled' }] : []);
    expect(webhooks.attempts.disabledEndpoints).toBe(isDisabled ? 1 : 0);
    const logged = deliveries.lines.filter(({ msg }) => String(msg).includes('was disabled'));
    expect(logged.map((line) => line['reason'])).toEqual(isDisabled ? [reason] : []);
  });

  it.each([
    ['disabled', `update webhook_endpoints set disabled_reason = 'by hand'`],
    ['removed', 'delete from webhook_endpoints'],
  ])('to a %s endpoint are not attempted', async (what, change) => {
    await listenHere();
    await use.happen();
    await query(change);
    await deliveries.start();
    const last_error = what === 'removed' ? 'the endpoint was removed' : 'the endpoint is disabled';
    expect(await deliveries.attempted()).toMatchObject({ last_error, seconds: null });
    expect(deliveries.receiver.received).toEqual([]);
  });

  it('to this machine are rejected unless WEBHOOK_ALLOW names it', async () => {
    await listenHere();
    await use.happen();
    await deliveries.start([]);
    expect((await deliveries.attempted()).last_error).toContain('127.0.0.1 is not a public address');
    expect(deliveries.receiver.received).toEqual([]);
  });

  it('to an endpoint whose secret cannot be decrypted wait, and do not count as attempts', async () => {
    await listenHere();
    const { id } = await listenHere();
    const wrong = encryptSecret(newSecret(), randomBytes(32));
    await query('update webhook_endpoints set secret = $2 where id = $1', [id, wrong]);
    await use.happen();
    const { undecryptable } = await deliveries.start();
    expect(undecryptable.count).toBe(1);
    await deliveries.received(1);
    const waiting = await eventually('one that waits', async () => {
      const pending = await deliveries.pending();
      return pending.length === 1 && pending;
    });
    expect(waiting).toMatchObject([{ attempts: 0, last_error: null }]);
    const said = deliveries.lines.filter(({ endpoint_id }) => endpoint_id === id);
    expect(said).toEqual([expect.objectContaining({ level: 50, msg: expect.stringContaining('rotate') })]);
  });

  it('do not start with a key that decrypts no secret, unless there is no secret to decrypt', async () => {
    const start = async () => {
      await deliveries.start([], randomBytes(32));
      await deliveries.stop();
    };
    await start();
    const { id } = await use.listen();
    await use.happen();
    await expect(start()).rejects.toThrow(
      `WEBHOOK_KEY does not decrypt the secret of any webhook endpoint (${id}).`,
    );
    expect(await query('select from webhook_outbox')).toHaveLength(1);
    await query(`update webhook_endpoints set disabled_reason = 'by hand'`);
    await start();
  });
});

describe('the state of the outbox', () => {
  const state = async () => (await query<OutboxState>(OUTBOX_STATE))[0];

  it('has the numbers and ages of events and deliveries, or is undefined without endpoints', async () => {
    expect(await state()).toBeUndefined();
    const { id } = await use.listen();
    const counts = { events: 0, deliveries: 0, disabled_endpoints: 0 };
    expect(await state()).toEqual({ ...counts, oldest_pending_seconds: 0, oldest_due_seconds: 0 });
    await use.happen();
    await query(`update webhook_outbox set created_at = now() - interval '1 hour'`);
    const waiting = (await state())!;
    expect(waiting).toMatchObject({ events: 1, deliveries: 0 });
    expect(waiting.oldest_pending_seconds).toBeGreaterThanOrEqual(3_600);
    expect(waiting.oldest_due_seconds).toBeGreaterThanOrEqual(3_600);

    await use.relay();
    await query(`update webhook_deliveries set next_attempt_at = now() - interval '30 minutes'`);
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
    const { id } = await use.listen();
    await query(
      `insert into webhook_deliveries (endpoint_id, event, submission_uuid, body, next_attempt_at)
       select $1, 'submission.deleted', gen_random_uuid(), '{}', now() + interval '1 day'
         from generate_series(1, 10500)`,
      [id],
    );
    expect(await state()).toMatchObject({ deliveries: 10_000 });
  });
});

it('secrets are stored encrypted (W2)', async () => {
  const { id, secret } = await use.listen();
  const [row] = await query<{ secret: Buffer }>('select secret from webhook_endpoints where id = $1', [id]);
  expect(presentSecret(decryptSecret(row!.secret, KEY))).toBe(secret);
});
