import { Step } from '../../src/entities.js';
import { etagOf, expectUnauthenticated, withVersion } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { buildForm, type FieldPlan } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';

const ON_LAST = { message: 'Already on the last step.' };
const ON_FIRST = { message: 'Already on the first step.' };
const COMPLETED = { message: 'The submission is already completed.' };

const steps = (count: number) => Array.from({ length: count }, (): Record<string, FieldPlan> => ({}));

describe('POST /api/v1/submissions/{uuid}/advance and /retreat', () => {
  const use = useService();

  const advance = ({ client, path }: Draft, headers?: Record<string, string>) =>
    client.post(`${path}/advance`, undefined, headers);
  const retreat = ({ client, path }: Draft, headers?: Record<string, string>) =>
    client.post(`${path}/retreat`, undefined, headers);
  const stateOf = async ({ client, path }: Draft) => (await client.get(path)).body;
  const stepOf = async (draft: Draft): Promise<number> => (await stateOf(draft)).data.current_step;

  function expectMove(answer: Answer, { uuid }: Draft, step: number, percentage: number, isLast: boolean) {
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: withVersion({
        uuid,
        current_step: step,
        status: 'draft',
        is_last_step: isLast,
        progress_percentage: percentage,
      }),
    });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }

  it('move through a form of three steps in both directions and reject moves beyond either end (S7, S8)', async () => {
    const draft = await newDraft(use, steps(3));

    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expectMove(await advance(draft), draft, 2, 67, false);
    expectMove(await advance(draft), draft, 3, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
    expect(await stepOf(draft)).toBe(3);
    expectMove(await retreat(draft), draft, 2, 67, false);
    expectMove(await retreat(draft), draft, 1, 33, false);
    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expect(await stepOf(draft)).toBe(1);
    expectMove(await advance(draft), draft, 2, 67, false);
  });

  it('return 50 and 100 per cent on a form of two steps', async () => {
    const draft = await newDraft(use, steps(2));

    expectMove(await advance(draft), draft, 2, 100, true);
    expectMove(await retreat(draft), draft, 1, 50, false);
  });

  it('round the percentage to the nearest integer (S8)', async () => {
    const draft = await newDraft(use, steps(8));
    const percentages: number[] = [];

    for (let step = 2; step <= 8; step += 1)
      percentages.push((await advance(draft)).body.data.progress_percentage);

    // 37.5, 62.5 and 87.5 are rounded up.
    expect(percentages).toEqual([25, 38, 50, 63, 75, 88, 100]);
  });

  it.each([
    ['one step', 1],
    ['no steps', 0],
  ])('reject moves in both directions on a form of %s (S7, S8)', async (_, count) => {
    const draft = await newDraft(use, steps(count));
    const before = await stateOf(draft);

    expectRefusal(await advance(draft), 422, ON_LAST);
    expectRefusal(await retreat(draft), 422, ON_FIRST);

    expect(await stateOf(draft)).toEqual(before);
  });

  it('count steps in the order of their numbers, including hidden steps and ignoring gaps (S8)', async () => {
    const draft = await newDraft(use, steps(4));
    const { dataSource } = use.database;
    for (const [index, stepNumber] of [7, 100, 3, 2_147_483_647].entries()) {
      const isVisible = index !== 1;
      await dataSource.manager.update(Step, { id: draft.steps[index]!.id }, { stepNumber, isVisible });
    }

    expectMove(await retreat(draft), draft, 1, 25, false);
    expectMove(await advance(draft), draft, 2, 50, false);
    expectMove(await advance(draft), draft, 3, 75, false);
    expectMove(await advance(draft), draft, 4, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
    expectMove(await retreat(draft), draft, 3, 75, false);
  });

  describe('when the form changes under a submission (S8)', () => {
    /** Deletes all but the first `count` steps in the database, and waits until the service serves the change (F9). */
    async function keepSteps(draft: Draft, count: number) {
      const { manager } = use.database.dataSource;
      for (const { id } of draft.steps.slice(count)) await manager.delete(Step, { id });
      await eventually('the steps are gone from the schema', async () => {
        const { body } = await use.service.anyone.get(`/api/v1/forms/${draft.form.uuid}/schema`);
        return body.data.steps.length === count;
      });
    }

    it('treat a submission beyond the last step as on the last step', async () => {
      const draft = await newDraft(use, steps(4));
      for (let moves = 0; moves < 3; moves += 1) await advance(draft);
      await keepSteps(draft, 2);

      expectRefusal(await advance(draft), 422, ON_LAST);
      const back = await retreat(draft);
      expect(back.status).toBe(200);
      expect(back.body.data.current_step).toBeLessThanOrEqual(2);
      expect(back.body.data.progress_percentage).toBeLessThanOrEqual(100);
      expect(await stepOf(draft)).toBe(back.body.data.current_step);
    });

    it('reject moves if the form has lost all its steps', async () => {
      const draft = await newDraft(use, steps(2));
      await advance(draft);
      await keepSteps(draft, 0);
      const before = await stateOf(draft);

      expectRefusal(await advance(draft), 422, ON_LAST);
      expectRefusal(await retreat(draft), 422, ON_FIRST);

      expect(await stateOf(draft)).toEqual(before);
    });

    it('allow a move from the former last step when a step is added', async () => {
      const draft = await newDraft(use, steps(2));
      await advance(draft);
      expectRefusal(await advance(draft), 422, ON_LAST);
      const { manager } = use.database.dataSource;
      await manager.save(manager.create(Step, { formId: draft.form.id, stepNumber: 9, title: 'New' }));

      const answer = await eventually('the new step counts', async () => {
        const attempt = await advance(draft);
        return attempt.status === 200 && attempt;
      });

      expectMove(answer, draft, 3, 100, true);
    });
  });

  it('reject moves of a completed submission and change nothing (S3)', async () => {
    const draft = await newDraft(use, steps(3));
    await advance(draft);
    await draft.client.patch(draft.path, { status: 'completed' });
    const before = await stateOf(draft);

    expectRefusal(await advance(draft), 422, COMPLETED);
    expectRefusal(await retreat(draft), 422, COMPLETED);
    expectRefusal(await advance(draft, { 'Idempotency-Key': 'key' }), 422, COMPLETED);

    expect(await stateOf(draft)).toEqual(before);
  });

  it('change only current_step and updated_at (S6)', async () => {
    const draft = await newDraft(use, [{ name: {} }, {}]);
    await draft.client.post(`${draft.path}/values`, { values: [{ field_code: 'name', value: 'Ada' }] });
    await draft.client.patch(draft.path, { meta: { a: 1 } });
    const before = (await stateOf(draft)).data;

    await advance(draft);
    const after = (await stateOf(draft)).data;
    await retreat(draft);
    const back = (await stateOf(draft)).data;

    expect(after).toEqual({ ...before, current_step: 2, updated_at: after.updated_at });
    expect(back).toEqual({ ...before, updated_at: back.updated_at });
    expect(before.updated_at < after.updated_at && after.updated_at < back.updated_at).toBe(true);
  });

  it('return the ETag of the new state and honour If-Match (S11)', async () => {
    const draft = await newDraft(use, steps(3));
    const etag = etagOf(await draft.client.get(draft.path));

    for (const header of ['"other"', `W/${etag}`]) {
      expectRefusal(await advance(draft, { 'If-Match': header }), 412);
      expectRefusal(await retreat(draft, { 'If-Match': header }), 412);
    }
    const moved = await advance(draft, { 'If-Match': `"other", ${etag}` });
    expect(moved.status).toBe(200);
    expect(etagOf(moved)).toBe(etagOf(await draft.client.get(draft.path)));
    expectRefusal(await advance(draft, { 'If-Match': etag }), 412);
    expect((await retreat(draft, { 'If-Match': '*' })).status).toBe(200);
    expect(await stepOf(draft)).toBe(1);
  });

  it.each([
    ['an empty body that claims to be JSON', '', { 'Content-Type': 'application/json' }],
    [
      'an empty body that claims to be JSON in UTF-8',
      '',
      { 'Content-Type': 'application/json; charset=utf-8' },
    ],
    ['an empty object', '{}', { 'Content-Type': 'application/json' }],
    ['properties, which they ignore', '{"steps":5,"current_step":1}', { 'Content-Type': 'application/json' }],
  ])('accept %s', async (_, body, headers) => {
    const draft = await newDraft(use, steps(3));

    expectMove(await draft.client.send('POST', `${draft.path}/advance`, body, headers), draft, 2, 67, false);
    expectMove(await draft.client.send('POST', `${draft.path}/retreat`, body, headers), draft, 1, 33, false);
  });

  describe('with an Idempotency-Key (S10)', () => {
    const withKey = (key: string) => ({ 'Idempotency-Key': key });

    it('move once and repeat the first response with its ETag', async () => {
      const draft = await newDraft(use, steps(4));
      const first = await advance(draft, withKey('forth'));
      expectMove(first, draft, 2, 50, false);

      const again = await advance(draft, withKey('forth'));
      expect(again.status).toBe(200);
      expect(again.body).toEqual(first.body);
      expect(etagOf(again)).toBe(etagOf(first));
      expect(await stepOf(draft)).toBe(2);

      const back = await retreat(draft, withKey('back'));
      expectMove(back, draft, 1, 25, false);
      const backAgain = await retreat(draft, withKey('back'));
      expect(backAgain.body).toEqual(back.body);
      expect(etagOf(backAgain)).toBe(etagOf(back));
      expect(await stepOf(draft)).toBe(1);
    });

    it('repeat the first response even if the submission has changed since', async () => {
      const draft = await newDraft(use, steps(3));
      const first = await advance(draft, withKey('key'));
      await advance(draft);
      await draft.client.patch(draft.path, { status: 'completed' });
      const before = await stateOf(draft);

      const again = await advance(draft, withKey('key'));

      expect(again.status).toBe(200);
      expect(again.body).toEqual(first.body);
      expect(etagOf(again)).toBe(etagOf(first));
      expect(await stateOf(draft)).toEqual(before);
    });

    it('repeat the first response to an identical request with If-Match', async () => {
      const draft = await newDraft(use, steps(3));
      const headers = { ...withKey('key'), 'If-Match': etagOf(await draft.client.get(draft.path)) };
      const first = await advance(draft, headers);

      const again = await advance(draft, headers);

      expect(again.status).toBe(200);
      expect(again.body).toEqual(first.body);
    });

    it('reject the key for another submission and for the other direction', async () => {
      const draft = await newDraft(use, steps(3));
      const sibling: Draft = { ...draft, ...(await createDraft(draft.client, draft)) };
      await advance(draft, withKey('key'));

      for (const answer of [
        await advance(sibling, withKey('key')),
        await retreat(draft, withKey('key')),
        await draft.client.post('/api/v1/submissions', { form_uuid: draft.form.uuid }, withKey('key')),
      ]) {
        expect(answer.status).toBe(422);
        expect(answer.body).toMatchObject({ message: expect.stringMatching(/./) });
      }

      expect([await stepOf(draft), await stepOf(sibling)]).toEqual([2, 1]);
    });

    it('store keys separately for each user', async () => {
      const draft = await newDraft(use, steps(3));
      const { client, id: userId } = await newUser(use);
      const theirs: Draft = { ...draft, client, userId, ...(await createDraft(client, draft)) };

      const [mine, other] = [await advance(draft, withKey('key')), await advance(theirs, withKey('key'))];

      expectMove(mine, draft, 2, 67, false);
      expectMove(other, theirs, 2, 67, false);
      expectRefusal(await advance({ ...draft, client }, withKey('key 2')), 404);
    });

    it('return 404 for a malformed UUID before they validate the key (F6)', async () => {
      const draft = { ...(await newDraft(use)), path: '/api/v1/submissions/nonsense' };

      expectRefusal(await advance(draft, withKey('é')), 404);
      expectRefusal(await retreat(draft, withKey('é')), 404);
    });

    it('do not store an error: the request succeeds with its key once the cause is gone', async () => {
      const draft = await newDraft(use, steps(2));
      await advance(draft);
      expectRefusal(await advance(draft, withKey('forth')), 422, ON_LAST);
      expectRefusal(await advance(draft, withKey('forth')), 422, ON_LAST);
      await retreat(draft);
      expectMove(await advance(draft, withKey('forth')), draft, 2, 100, true);

      const stale = { ...withKey('back'), 'If-Match': '"other"' };
      expectRefusal(await retreat(draft, stale), 412);
      expectMove(await retreat(draft, withKey('back')), draft, 1, 50, false);
    });

    it('forget a key after 24 hours', async () => {
      const draft = await newDraft(use, steps(4));
      const { dataSource } = use.database;
      await advance(draft, withKey('key'));
      const [{ hours }] = await dataSource.query(
        `select extract(epoch from expires_at - now()) / 3600 as hours from idempotency_keys where user_id = $1`,
        [draft.userId],
      );
      expect(Number(hours)).toBeCloseTo(24, 1);

      await dataSource.query(
        `update idempotency_keys set expires_at = now() + interval '1 minute' where user_id = $1`,
        [draft.userId],
      );
      expect((await advance(draft, withKey('key'))).body.data.current_step).toBe(2);
      await dataSource.query(`update idempotency_keys set expires_at = now() where user_id = $1`, [
        draft.userId,
      ]);
      expectMove(await advance(draft, withKey('key')), draft, 3, 75, false);
      // A retry with this key now returns the new response.
      expectMove(await advance(draft, withKey('key')), draft, 3, 75, false);
      expect(await stepOf(draft)).toBe(3);
    });

    it.each([
      ['1 character', 'k'],
      ['255 characters', 'k'.repeat(255)],
      ['spaces and signs', '~ a:b/c; "d" %00 \\ {}'],
    ])('accept a key of %s', async (_, key) => {
      const draft = await newDraft(use, steps(3));

      const first = await advance(draft, withKey(key));
      expectMove(first, draft, 2, 67, false);
      expect((await advance(draft, withKey(key))).body).toEqual(first.body);
      expect(await stepOf(draft)).toBe(2);
    });

    it.each([
      ['256 characters', 'k'.repeat(256)],
      ['no character', ''],
      ['a tab in it', 'a\tb'],
      ['a letter that is not ASCII', 'clé'],
    ])('reject a key with %s and do not move', async (_, key) => {
      const draft = await newDraft(use, steps(3));

      for (const move of [advance, retreat]) {
        const answer = await move(draft, withKey(key));
        expect(answer.status).toBe(422);
        expect(answer.body).toMatchObject({ message: 'The given data was invalid.' });
      }

      expect(await stepOf(draft)).toBe(1);
    });
  });

  it('do not move without a valid token (A5)', async () => {
    const draft = await newDraft(use, steps(2));

    expectUnauthenticated(await use.service.anyone.post(`${draft.path}/advance`));
    expectUnauthenticated(await use.service.anyone.post(`${draft.path}/retreat`, {}));

    expect(await stepOf(draft)).toBe(1);
  });

  it('move drafts of one form independently', async () => {
    const draft = await newDraft(use, steps(3));
    const sibling: Draft = { ...draft, ...(await createDraft(draft.client, draft)) };
    const other = await buildForm(use.database.dataSource, { steps: steps(5) });
    const elsewhere: Draft = { ...draft, ...other, ...(await createDraft(draft.client, other)) };

    await advance(draft);
    await advance(elsewhere);

    expect([await stepOf(draft), await stepOf(sibling), await stepOf(elsewhere)]).toEqual([2, 1, 2]);
    expectMove(await advance(elsewhere), elsewhere, 3, 60, false);
  });
});
