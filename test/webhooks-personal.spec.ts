import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { DataSource, EntityManager } from 'typeorm';
import { eraseUsers } from '../src/cli/deletions.js';
import { Field, SubmissionValue } from '../src/entities.js';
import { HOOKS } from '../src/capabilities/webhooks/hooks.js';
import { RELAY } from '../src/capabilities/webhooks/webhook.statements.js';
import { WEBHOOK_SCHEMA } from '../src/capabilities/webhooks/webhooks.openapi.js';
import { addRecord, complete, store as storeByApi } from './support/draft-requests.js';
import { newDraftOf } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { buildEntity } from './support/forms.js';
import { itOnOneServer as it } from './support/it-on-one-server.js';
import { useServiceOn } from './support/service.js';
import { useDelivery, useOutbox } from './support/webhooks.js';

const ajv = new Ajv2020();
addFormats.default(ajv);
const isDescribed = ajv.compile(WEBHOOK_SCHEMA);

const use = useOutbox();
const { query } = use;

const fieldId = (code: string) => use.form.fields[code]!.id;
const makePersonal = (...codes: string[]) =>
  query('update fields set is_personal = true where id = any ($1)', [codes.map(fieldId)]);

/** Stores values in no record. */
async function store(uuid: string, values: Readonly<Record<string, string>>): Promise<void> {
  const { form, fields } = use.form;
  for (const [code, value] of Object.entries(values)) {
    const { id, isRepeatable } = fields[code]!;
    const key = { submissionUuid: uuid, formId: form.id, fieldId: id, isRepeatable };
    await use.database.dataSource.manager.insert(SubmissionValue, { ...key, value });
  }
}

/** Begins a submission with a meta and values, and completes it. */
async function answered(values: Readonly<Record<string, string>> = { name: 'Ada', tag: 'red' }) {
  const uuid = await use.begin();
  await query(`update submissions set meta = '{"source": "kiosk"}' where uuid = $1`, [uuid]);
  await store(uuid, values);
  await use.complete(uuid);
  return uuid;
}

interface Sent {
  readonly id: string;
  readonly endpoint_id: number;
  readonly event: string;
  readonly submission: any;
  readonly truncated: boolean;
}

/** Turns the outbox into deliveries, and returns all deliveries in the order of their endpoints. */
async function deliveries(): Promise<Sent[]> {
  await use.relay();
  const rows = await query<{ id: string; event: string; endpoint_id: number; body: string }>(
    'select id, event, endpoint_id, body from webhook_deliveries order by endpoint_id, created_at, id',
  );
  return rows.map(({ body, ...row }) => {
    const parsed = JSON.parse(body);
    expect([isDescribed(parsed), isDescribed.errors]).toEqual([true, null]);
    return { ...row, submission: parsed.data.submission, truncated: parsed.data.truncated };
  });
}

const codesIn = ({ values }: Sent['submission']) => values?.map((value: any) => value.field_code);

/** Deletes the copies of these submissions, as a purge does. */
const forget = (
  submissions: readonly string[],
  fieldIds?: readonly number[],
  { manager }: Pick<DataSource, 'manager'> = use.database.dataSource,
) =>
  manager.transaction((within: EntityManager) =>
    HOOKS.deletions!.forgetCopies!(within, submissions, fieldIds),
  );

describe('an endpoint without personal data', () => {
  it('gets neither meta, the address nor values of personal fields, but all else', async () => {
    await makePersonal('name');
    const { id: all } = await use.listen({ body: 'full' });
    const { id: some } = await use.listen({ body: 'full', personal: false });
    const { id: thin } = await use.listen({ personal: false });
    await answered();
    const [complete, without, short] = await deliveries();
    expect([complete, without, short].map((one) => one?.endpoint_id)).toEqual([all, some, thin]);
    expect(complete!.submission).toMatchObject({ meta: { source: 'kiosk' }, user_email: use.user.email });
    expect(codesIn(complete!.submission)).toEqual(['name', 'tag']);
    const { values, ...own } = without!.submission;
    expect(own).toEqual(short!.submission);
    expect(values).toEqual([complete!.submission.values[1]]);
    expect(without!.truncated).toBe(false);
  });

  it('gets all values if no field is personal, and none of a field that is personal and retired', async () => {
    const { id } = await use.listen({ body: 'full', personal: false });
    await answered();
    expect(codesIn((await deliveries())[0]!.submission)).toEqual(['name', 'tag']);
    await query('delete from webhook_deliveries');
    await makePersonal('name', 'tag');
    await query('update fields set retired_at = now() where id = $1', [fieldId('tag')]);
    await answered();
    expect(await deliveries()).toMatchObject([{ endpoint_id: id, submission: { values: [] } }]);
  });

  it('gets what was not personal at the time of the event, like the body of that moment', async () => {
    await use.listen({ body: 'full', personal: false });
    await answered();
    await makePersonal('tag');
    expect(codesIn((await deliveries())[0]!.submission)).toEqual(['name', 'tag']);
  });

  it('gets no personal data of events before it was told to get none', async () => {
    await makePersonal('name');
    await use.listen({ body: 'full' });
    await answered();
    await query('update webhook_endpoints set personal = false');
    const [{ submission } = { submission: undefined }] = await deliveries();
    expect(codesIn(submission)).toEqual(['tag']);
    expect(Object.keys(submission)).not.toContain('meta');
  });

  it('gets a whole body if only the body with personal data is above 256 KiB, and a truncated one otherwise (W6)', async () => {
    const item = { name: 'item', isRepeatable: true };
    const { id: entityId } = await buildEntity(use.database.dataSource, use.form, item, ['tag']);
    /** Completes a submission with 300 kB in `tag`. */
    const answeredAtLength = async () => {
      const uuid = await use.begin();
      await store(uuid, { name: 'Ada' });
      await query(
        `with record as (
           insert into entity_records (submission_uuid, form_id, entity_id) select $1, $2, $3 from generate_series(1, 5)
           returning id
         ) insert into submission_values (submission_uuid, field_id, form_id, is_repeatable, entity_record_id, value)
           select $1, $4, $2, true, id, repeat('ä', 30000) from record`,
        [uuid, use.form.form.id, entityId, fieldId('tag')],
      );
      await use.complete(uuid);
    };
    await use.listen({ body: 'full' });
    await use.listen({ body: 'full', personal: false });
    await makePersonal('tag');
    await answeredAtLength();
    await query(`update fields set is_personal = code = 'name' where form_id = $1`, [use.form.form.id]);
    await answeredAtLength();
    expect((await deliveries()).map(({ truncated, submission }) => [truncated, codesIn(submission)])).toEqual(
      [
        [true, undefined],
        [true, undefined],
        [false, ['name']],
        [true, undefined],
      ],
    );
  });

  const deliver = useDelivery(use);
  const service = useServiceOn(use);

  it('receives what the service stored, also in records, without the personal part', async () => {
    const { receiver } = deliver;
    const draft = await newDraftOf(
      { database: use.database, service },
      {
        steps: [{ name: {}, city: {}, phone: { isRepeatable: true }, role: { isRepeatable: true } }],
        entities: [{ name: 'guest', label: 'Guest', isRepeatable: true, of: ['phone', 'role'] }],
      },
    );
    await service.hearing(() =>
      use.database.dataSource.manager.update(Field, [draft.fields['name']!.id, draft.fields['phone']!.id], {
        isPersonal: true,
      }),
    );
    const { secret } = await use.listen({ url: receiver.url, body: 'full', personal: false });
    expect((await draft.client.patch(draft.path, { meta: { source: 'Ada' } })).status).toBe(200);
    await storeByApi(draft, { name: 'Ada', city: 'Oslo' });
    const record = await addRecord(draft, 'guest');
    await storeByApi(draft, { phone: '+47', role: 'cook' }, record);
    expect((await complete(draft)).status).toBe(200);
    await deliver.start();
    const [hook] = await deliver.received(1);
    receiver.verify(secret, hook!);
    const valueOf = (code: string, value: string, entity_record_id: number | null) => {
      return { field_id: draft.fields[code]!.id, field_code: code, value, entity_record_id };
    };
    const { submission } = hook!.body.data;
    expect(submission.values).toEqual([valueOf('city', 'Oslo', null), valueOf('role', 'cook', record)]);
    for (const secretText of ['Ada', '+47', 'meta', 'email', 'personal'])
      expect(hook!.text).not.toContain(secretText);
  });
});

describe('a deletion', () => {
  const deleted = (reason: string, uuid: string) =>
    use.database.dataSource.transaction(async (manager) => {
      await manager.query(`select set_config('formtrail.deletion_reason', $1, true)`, [reason]);
      await manager.query('delete from submissions where uuid = $1', [uuid]);
    });

  it.each(['retention', 'erasure', 'restored'])(
    'for the reason "%s" is thin for every endpoint',
    async (reason) => {
      await use.listen({ events: ['submission.deleted'], body: 'full' });
      await use.listen({ events: ['submission.deleted'], body: 'full', personal: false });
      await use.listen({ events: ['submission.deleted'] });
      const uuid = await answered();
      await deleted(reason, uuid);
      expect(await query('select meta, user_email, "values", personal_fields from webhook_outbox')).toEqual([
        { meta: null, user_email: null, values: null, personal_fields: null },
      ]);
      const sent = await deliveries();
      expect(sent).toHaveLength(3);
      for (const { submission, truncated } of sent) {
        expect([submission.uuid, truncated]).toEqual([uuid, false]);
        expect(Object.keys(submission)).toEqual(expect.not.arrayContaining(['values', 'meta', 'user_email']));
      }
    },
  );

  it.each(['user', 'operator', 'test', ''])('for the reason "%s" has the last values', async (reason) => {
    await use.listen({ events: ['submission.deleted'], body: 'full' });
    await deleted(reason, await answered());
    expect(codesIn((await deliveries())[0]!.submission)).toEqual(['name', 'tag']);
  });
});

it('an erasure also forgets webhooks of submissions that the user had deleted before', async () => {
  await use.listen({
    events: ['submission.created', 'submission.completed', 'submission.deleted'],
    body: 'full',
  });
  const uuid = await answered();
  await query('delete from submissions where uuid = $1', [uuid]);
  // One is given up, the others are still in the outbox.
  await query(RELAY.text, [1]);
  await query('update webhook_deliveries set next_attempt_at = null');
  expect(await query('select from webhook_outbox')).not.toEqual([]);
  await eraseUsers(use.database.dataSource, [{ id: use.user.id, email: use.user.email }]);
  expect(await query('select from webhook_outbox union all select from webhook_deliveries')).toEqual([]);
});

it('an erasure leaves the webhooks of a held submission, which stays, as they are', async () => {
  await use.listen({ body: 'full' });
  const [held, gone] = [await answered(), await answered()];
  await query('update submissions set held = true where uuid = $1', [held]);
  await eraseUsers(use.database.dataSource, [{ id: use.user.id, email: use.user.email }]);
  const sent = await deliveries();
  expect(sent.map(({ submission }) => [submission.uuid, codesIn(submission)])).toContainEqual([
    held,
    ['name', 'tag'],
  ]);
  expect(sent.filter(({ submission }) => submission.uuid === gone && 'values' in submission)).toEqual([]);
  await query('update submissions set held = false');
});

describe('forgetting copies', () => {
  it('of submissions deletes their waiting and given-up webhooks with contents, and no others', async () => {
    const { id: full } = await use.listen({ body: 'full' });
    const { id: some } = await use.listen({ body: 'full', personal: false });
    const { id: thin } = await use.listen();
    const forgotten = [await answered(), await answered()];
    const kept = await answered();
    await use.relay();
    await query(
      `update webhook_deliveries set next_attempt_at = null, last_error = 'HTTP 500' where submission_uuid = $1`,
      [forgotten[0]],
    );
    // These events wait in the outbox.
    forgotten.push(await answered());
    const keptInOutbox = await answered();
    await forget(forgotten);
    expect(await query('select from webhook_outbox')).toHaveLength(2);
    const sent = await deliveries();
    const of = (id: number) =>
      sent.filter(({ endpoint_id }) => endpoint_id === id).map(({ submission }) => submission.uuid);
    expect(of(full)).toEqual([kept, keptInOutbox]);
    expect(of(some)).toEqual([kept, keptInOutbox]);
    expect(of(thin).toSorted()).toEqual([...forgotten, kept, keptInOutbox].toSorted());
    for (const { submission } of sent.filter(({ submission }) => forgotten.includes(submission.uuid)))
      expect(Object.keys(submission)).toEqual(expect.not.arrayContaining(['values', 'meta', 'user_email']));
  });

  it('of submissions deletes an event for which no thin endpoint listened, and keeps no contents of others', async () => {
    const { id } = await use.listen({ body: 'full' });
    const alone = await answered();
    await use.listen();
    const shared = await answered();
    await forget([alone, shared]);
    expect(
      await query('select submission_uuid, endpoint_ids, meta, user_email, "values" from webhook_outbox'),
    ).toEqual([
      {
        submission_uuid: shared,
        endpoint_ids: [expect.any(Number)],
        meta: null,
        user_email: null,
        values: null,
      },
    ]);
    // The endpoint gets what happens afterwards.
    await answered();
    expect((await deliveries()).filter(({ endpoint_id }) => endpoint_id === id)).toHaveLength(1);
  });

  it('of fields deletes only webhooks that have their values', async () => {
    await makePersonal('name');
    const { id: full } = await use.listen({ body: 'full' });
    const { id: some } = await use.listen({ body: 'full', personal: false });
    const { id: thin } = await use.listen();
    const contains = [await answered()];
    const lacks = [await answered({ tag: 'red' })];
    await use.relay();
    contains.push(await answered());
    lacks.push(await answered({ tag: 'red' }));
    const other = await answered();
    await forget([...contains, ...lacks], [fieldId('name')]);
    expect(
      JSON.stringify(await query('select "values" from webhook_outbox where submission_uuid <> $1', [other])),
    ).not.toContain('Ada');
    const sent = await deliveries();
    const of = (id: number) =>
      sent
        .filter(({ endpoint_id }) => endpoint_id === id)
        .map(({ submission }) => submission.uuid)
        .toSorted();
    const all = [...contains, ...lacks, other].toSorted();
    expect(of(full)).toEqual([...lacks, other].toSorted());
    expect(of(some)).toEqual(all);
    expect(of(thin)).toEqual(all);
    for (const { submission } of sent.filter(({ endpoint_id }) => endpoint_id === some))
      expect(codesIn(submission)).toEqual(['tag']);
  });

  it('of fields that became personal after the event also deletes what endpoints without personal data would get', async () => {
    await use.listen({ body: 'full', personal: false });
    const inDelivery = await answered();
    await use.relay();
    const inOutbox = await answered();
    await forget([inDelivery, inOutbox], [fieldId('name')]);
    const sent = await deliveries();
    expect(sent.map(({ submission }) => [submission.uuid, codesIn(submission)])).toEqual([
      [inOutbox, ['tag']],
    ]);
  });

  it('also finds contents in a body that PostgreSQL cannot read, and keeps a thin body', async () => {
    const { id } = await use.listen({ body: 'full' });
    // Another program may store this character in the meta, whose type is json.
    const uuid = await use.begin();
    await query(`update submissions set meta = '{"a": "\\u0000"}' where uuid = $1`, [uuid]);
    await store(uuid, { tag: 'red' });
    await use.complete(uuid);
    const insert = (body: string) =>
      query(
        `insert into webhook_deliveries (endpoint_id, event, submission_uuid, body) values ($1, 'submission.completed', $2, $3)`,
        [id, uuid, body],
      );
    await use.relay();
    await insert('no JSON');
    await insert('{}');
    await insert('{"data": {"submission": {"values": "of another shape"}}}');
    const bodies = async () =>
      (await query<{ body: string }>('select body from webhook_deliveries')).map(({ body }) => body);
    expect(await bodies()).toHaveLength(4);
    await forget([randomUUID()]);
    await forget([]);
    expect(await bodies()).toHaveLength(4);
    await forget([uuid], [fieldId('name')]);
    expect(await bodies()).toEqual(['{}']);
  });

  it('without endpoints and webhooks does nothing, in one statement', async () => {
    const statements: string[] = [];
    await use.database.dataSource.transaction(async (manager) => {
      const recorded = {
        query: (sql: string, values: unknown[]) => {
          statements.push(sql);
          return manager.query(sql, values);
        },
      } as EntityManager;
      await HOOKS.deletions!.forgetCopies!(recorded, [randomUUID()]);
    });
    expect(statements).toHaveLength(1);
  });

  /** Runs `work` on its own connection, whose transaction stays open until `end`. */
  async function opened(work: (query: EntityManager['query']) => Promise<unknown>) {
    const runner = use.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    const done = work((sql: string, values?: unknown[]) => runner.query(sql, values));
    return {
      done,
      end: async () => {
        await done;
        await runner.commitTransaction();
        await runner.release();
      },
    };
  }
  const relaying = () => opened((run) => run(RELAY.text, [1_000]));
  const forgetting = (uuid: string) =>
    opened((run) => HOOKS.deletions!.forgetCopies!({ query: run } as EntityManager, [uuid]));
  const contents = () =>
    query(
      `select body as contents from webhook_deliveries where body like '%Ada%'
       union all select "values"::text from webhook_outbox where "values" is not null`,
    );

  it('waits for a worker that turns the events into deliveries, and deletes these deliveries', async () => {
    await use.listen({ body: 'full' });
    const uuid = await answered();
    const worker = await relaying();
    await worker.done;
    const purge = await forgetting(uuid);
    await eventually('the purge waits for the worker', async () => {
      const waiting = await query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like '%formtrail_webhooks_forget%'`,
      );
      return waiting.length === 1;
    });
    await worker.end();
    await purge.end();
    expect(await contents()).toEqual([]);
    expect(await deliveries()).toEqual([]);
  });

  it('leaves nothing to a worker that runs before it is committed', async () => {
    await use.listen({ body: 'full' });
    await use.listen();
    const uuid = await answered();
    const purge = await forgetting(uuid);
    await purge.done;
    const worker = await relaying();
    await worker.end();
    await purge.end();
    expect(await contents()).toEqual([]);
    const [{ submission } = { submission: undefined }] = await deliveries();
    expect([submission.uuid, codesIn(submission)]).toEqual([uuid, undefined]);
  });

  it('leaves no contents while a worker runs all the time', async () => {
    await use.listen({ body: 'full' });
    await use.listen();
    let isDone = false;
    const work = async () => {
      while (!isDone) await use.relay();
    };
    const working = work();
    try {
      for (let round = 0; round < 20; round += 1) {
        const uuids = [await answered(), await answered(), await answered()];
        await forget(uuids);
        expect(await contents()).toEqual([]);
      }
    } finally {
      isDone = true;
      await working;
    }
    expect(await deliveries()).toHaveLength(60);
  });
});
