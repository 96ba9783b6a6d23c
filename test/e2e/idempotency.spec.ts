import { randomUUID } from 'node:crypto';
import { Form, IdempotencyKey, Submission } from '../../src/entities.js';
import { etagOf } from '../support/answers.js';
import { type Answer, client as clientOf } from '../support/client.js';
import { createDraft, type Draft, newDraftOf } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { inOwnDatabase } from '../support/own-database.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService, withServiceOn } from '../support/service.js';

const SUBMISSIONS = '/api/v1/submissions';
const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at)).join('');

const use = useService();
const manager = () => use.database.dataSource.manager;
const query = (sql: string, parameters: unknown[]) => manager().query(sql, parameters);
const setActive = (id: number, isActive: boolean) =>
  use.service.hearing(() => manager().update(Form, { id }, { isActive }));
const keysOf = (userId: number) => manager().findBy(IdempotencyKey, { userId });
const countOf = (userId: number) => manager().countBy(Submission, { userId });
const stepOf = async ({ client, path }: Draft) => (await client.get(path)).body.data.current_step as number;
const recordsOf = async ({ client, path }: Draft) => (await client.get(path)).body.data.records as object[];

type Send = (draft: Draft, key?: string, headers?: Record<string, string>) => Promise<Answer>;
const withKey = (key?: string): Record<string, string> =>
  key === undefined ? {} : { 'Idempotency-Key': key };
const createOf = ({ client }: Draft, formUuid: string, key?: string) =>
  client.post(SUBMISSIONS, { form_uuid: formUuid }, withKey(key));
const create: Send = (draft, key) => createOf(draft, draft.form.uuid, key);
const move =
  (direction: string): Send =>
  ({ client, path }, key, headers) =>
    client.post(`${path}/${direction}`, undefined, { ...withKey(key), ...headers });
const addRecord: Send = ({ client, path }, key) =>
  client.post(`${path}/records`, { entity: 'receipt' }, withKey(key));
const [advance, retreat] = [move('advance'), move('retreat')];
const [skipForth, skipBack] = [move('advance?skip=hidden'), move('retreat?skip=hidden')];

/** A draft on the second of four steps, which can have records. */
async function draftOnSecond(): Promise<Draft> {
  const draft = await newDraftOf(use, {
    steps: [{ a: {} }, { b: {} }, { c: {} }, { d: {} }],
    entities: [{ name: 'receipt', isRepeatable: true }, { name: 'hotel' }],
  });
  await advance(draft);
  return draft;
}

const REQUESTS: [string, Send][] = [
  ['POST /submissions', create],
  ['POST /submissions/{uuid}/records', addRecord],
  ['POST /submissions/{uuid}/advance', advance],
  ['POST /submissions/{uuid}/retreat', retreat],
  ['POST /submissions/{uuid}/advance?skip=hidden (C13)', skipForth],
  ['POST /submissions/{uuid}/retreat?skip=hidden (C13)', skipBack],
];

describe.each(REQUESTS)('an Idempotency-Key of %s (S10)', (_, send) => {
  it('executes the request once, and repeats the response with its headers, even after other changes', async () => {
    const draft = await draftOnSecond();
    const first = await send(draft, 'key');
    expect(first.status).toBeLessThan(300);
    const seen = async () => [await stepOf(draft), await recordsOf(draft), await countOf(draft.userId)];
    const before = await seen();

    const again = await send(draft, 'key');
    await draft.client.patch(draft.path, { status: 'completed' });
    await setActive(draft.form.id, false);
    for (const answer of [again, await send(draft, 'key')]) {
      expect([answer.status, answer.body, etagOf(answer)]).toEqual([first.status, first.body, etagOf(first)]);
      expect(answer.headers.get('location')).toBe(first.headers.get('location'));
    }
    expect(await seen()).toEqual(before);
  });

  it('has 1 to 255 printable characters', async () => {
    const draft = await draftOnSecond();
    for (const key of ['k'.repeat(256), '', 'a\tb', 'clé'])
      expectInvalid(await send(draft, key), 'Idempotency-Key');
    expect([await stepOf(draft), await countOf(draft.userId)]).toEqual([2, 1]);
    for (const key of ['k', 'k'.repeat(255), PRINTABLE.trim()]) {
      const one = await draftOnSecond();
      expect((await send(one, key)).body).toEqual((await send(one, key)).body);
    }
  });
});

describe('an Idempotency-Key (S10)', () => {
  it('is rejected for another request', async () => {
    const draft = await draftOnSecond();
    const sibling: Draft = { ...draft, ...(await createDraft(draft.client, draft)) };
    const { form: other } = await buildForm(use.database.dataSource);
    const { client, path } = draft;
    await advance(draft, 'move');
    await create(draft, 'create');
    await addRecord(draft, 'record');
    for (const answer of [
      await advance(sibling, 'move'),
      await retreat(draft, 'move'),
      await skipForth(draft, 'move'),
      await move('advance?validate=true')(draft, 'move'),
      await create(draft, 'move'),
      await addRecord(draft, 'move'),
      await client.post(`${path}/records`, { entity: 'hotel' }, withKey('record')),
      await createOf(draft, other.uuid, 'create'),
      await advance(draft, 'create'),
    ])
      expectInvalid(answer, 'Idempotency-Key');
    expect([await stepOf(draft), await stepOf(sibling), await countOf(draft.userId)]).toEqual([3, 1, 3]);
    await skipBack(draft, 'skip');
    for (const send of [retreat, skipForth]) expectInvalid(await send(draft, 'skip'), 'Idempotency-Key');
  });

  it('counts in its letter case, and form_uuid in another one is the same request', async () => {
    const draft = await draftOnSecond();
    const answers = [await create(draft, 'key'), await create(draft, 'KEY'), await create(draft)];
    expect(new Set(answers.map(({ body }) => body.data.uuid)).size).toBe(3);
    expect((await createOf(draft, draft.form.uuid.toUpperCase(), 'key')).body).toEqual(answers[0]!.body);
  });

  it('is validated after a malformed UUID (F6)', async () => {
    const draft = { ...(await newDraftOf(use, {})), path: `${SUBMISSIONS}/nonsense` };
    for (const send of [advance, retreat]) expectRefusal(await send(draft, 'é'), 404);
  });

  it('stores no error: the request succeeds with its key once the cause is gone', async () => {
    const draft = await draftOnSecond();
    await setActive(draft.form.id, false);
    expectInvalid(await create(draft, 'create'), 'form_uuid');
    expectInvalid(await createOf(draft, randomUUID(), 'create'), 'form_uuid');
    expectRefusal(await advance(draft, 'move', { 'If-Match': '"other"' }), 412);
    await retreat(draft);
    for (let times = 0; times < 2; times += 1)
      expectRefusal(await retreat(draft, 'back'), 422, { message: 'Already on the first step.' });
    expect(await keysOf(draft.userId)).toEqual([]);

    await setActive(draft.form.id, true);
    await advance(draft);
    expect((await create(draft, 'create')).status).toBe(201);
    const headers = { 'If-Match': etagOf(await draft.client.get(draft.path)) };
    const moved = await advance(draft, 'move', headers);
    expect(moved.body.data.current_step).toBe(3);
    expect((await advance(draft, 'move', headers)).body).toEqual(moved.body);
    expect((await retreat(draft, 'back')).body.data.current_step).toBe(2);
  });

  it('expires after 24 hours, and can then be used for another request', async () => {
    const draft = await draftOnSecond();
    const expire = (at: string) =>
      query(`update idempotency_keys set expires_at = ${at} where user_id = $1`, [draft.userId]);
    await advance(draft, 'key');
    const [row] = await query(
      `select extract(epoch from expires_at - now()) / 3600 as hours from idempotency_keys where user_id = $1`,
      [draft.userId],
    );
    expect(Number(row.hours)).toBeCloseTo(24, 1);
    await expire(`now() + interval '1 minute'`);
    expect((await advance(draft, 'key')).body.data.current_step).toBe(3);

    await expire('now()');
    const second = await retreat(draft, 'key');
    expect(second.body.data.current_step).toBe(2);
    expect((await retreat(draft, 'key')).body).toEqual(second.body);
    expect([await stepOf(draft), (await keysOf(draft.userId)).length]).toEqual([2, 1]);
  });

  it('is shared by all instances and survives a restart', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const { client, plainToken } = await newUser(use);
    const first = await client.post(SUBMISSIONS, { form_uuid: form.uuid }, withKey('key'));
    await withServiceOn(use.database, {}, async ({ url }) => {
      const later = clientOf(url, { Authorization: `Bearer ${plainToken}` });
      const again = await later.post(SUBMISSIONS, { form_uuid: form.uuid }, withKey('key'));
      expect([again.status, again.body, etagOf(again)]).toEqual([201, first.body, etagOf(first)]);
    });
  });

  it('is stored even if the client disconnects before it gets the response', async () => {
    const { form } = await buildForm(use.database.dataSource, { steps: [{}, {}, {}] });
    const { client, plainToken } = await newUser(use);
    const { path, uuid } = await createDraft(client, { form, steps: [], fields: {} });
    await manager().transaction(async (panel) => {
      await panel.query('select from submissions where uuid = $1 for update', [uuid]);
      const hangUp = new AbortController();
      const lost = fetch(`${use.service.url}${path}/advance`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${plainToken}`, ...withKey('lost') },
        signal: hangUp.signal,
      });
      await eventually('the request waits, and its key is in use', async () => {
        const { status } = await client.post(`${path}/advance`, undefined, withKey('lost'));
        return status === 409;
      });
      hangUp.abort();
      await expect(lost).rejects.toThrow();
    });
    const again = await eventually('the first answer', async () => {
      const answer = await client.post(`${path}/advance`, undefined, withKey('lost'));
      return answer.status !== 409 && answer;
    });
    expect([again.status, again.body.data.current_step]).toEqual([200, 2]);
    expect((await client.get(path)).body.data.current_step).toBe(2);
  });

  it('is deleted once it has expired, and not before, even if there are many', () =>
    inOwnDatabase(async ({ database, service }) => {
      const { id: userId } = await newUser({ database, service });
      const fill = (key: string, count: number, expiresAt: string) =>
        database.dataSource.query(
          `insert into idempotency_keys (user_id, key, request_hash, answer, expires_at)
           select $1, $2 || n, '', '{}', ${expiresAt} from generate_series(1, $3::integer) n`,
          [userId, key, count],
        );
      await fill('expired ', 10_001, `now() - interval '1 minute'`);
      await fill('kept ', 10, `now() + interval '1 minute'`);
      // Delete in parallel, like several instances on one database.
      await Promise.all([service.deleteExpiredKeys(), service.deleteExpiredKeys()]);
      await service.deleteExpiredKeys();
      const left = await database.dataSource.manager.find(IdempotencyKey);
      expect(left.map(({ key }) => key.split(' ')[0])).toEqual(Array(10).fill('kept'));
    }));
});
