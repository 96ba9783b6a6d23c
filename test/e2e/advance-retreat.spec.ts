import { Step } from '../../src/entities.js';
import {
  COMPLETED,
  etagOf,
  expectMove,
  expectUnauthenticated,
  GONE,
  ON_FIRST,
  ON_LAST,
} from '../support/answers.js';
import { complete, stateOf, store } from '../support/draft-requests.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';

/** Steps with one field each, because skip=hidden passes steps without fields. */
const steps = (count: number) => Array.from({ length: count }, (_, index) => ({ [`field_${index}`]: {} }));

const use = useService();

/** `advance()` and `retreat()` with these parameters. */
const movesWith = (query: string) =>
  ['advance', 'retreat'].map(
    (direction) =>
      ({ client, path }: Draft, headers?: Record<string, string>) =>
        client.post(`${path}/${direction}${query}`, undefined, headers),
  ) as [Move, Move];
type Move = (draft: Draft, headers?: Record<string, string>) => ReturnType<Draft['client']['post']>;

describe.each(['', '?skip=hidden'])('POST …/advance%s and …/retreat', (query) => {
  const [advance, retreat] = movesWith(query);

  it('move through a form of three steps in both directions and reject moves beyond either end (S7, S8)', async () => {
    const draft = await newDraft(use, steps(3));
    const sibling: Draft = { ...draft, ...(await createDraft(draft.client, draft)) };
    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expectMove(await advance(draft), draft, 2, 67);
    expectMove(await advance(draft), draft, 3, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
    expectMove(await retreat(draft), draft, 2, 67);
    expectMove(await retreat(draft), draft, 1, 33);
    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expectMove(await advance(draft), draft, 2, 67);
    expect([(await stateOf(draft)).current_step, (await stateOf(sibling)).current_step]).toEqual([2, 1]);
  });

  it.each([1, 0])('reject moves in both directions on a form of %d steps (S7, S8)', async (count) => {
    const draft = await newDraft(use, steps(count));
    const before = await stateOf(draft);
    expectRefusal(await advance(draft), 422, ON_LAST);
    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expect(await stateOf(draft)).toEqual(before);
  });

  it('reject moves of a completed submission (S3), and of one of another user or a deleted one (S1)', async () => {
    const draft = await newDraft(use, steps(3));
    await advance(draft);
    const deleted: Draft = { ...draft, ...(await createDraft(draft.client, draft)) };
    expect((await draft.client.delete(deleted.path)).status).toBe(204);
    await complete(draft);
    const before = await stateOf(draft);
    for (const [one, status, body] of [
      [draft, 422, COMPLETED],
      [{ ...draft, client: (await newUser(use)).client }, 404, GONE],
      [deleted, 404, GONE],
    ] as const) {
      expectRefusal(await advance(one), status, body);
      expectRefusal(await retreat(one), status, body);
      expectRefusal(await advance(one, { 'Idempotency-Key': 'key' }), status, body);
    }
    expect(await stateOf(draft)).toEqual(before);
  });

  it('change only current_step and updated_at (S6), return the new ETag, and honour If-Match (S11)', async () => {
    const draft = await newDraft(use, steps(2));
    await store(draft, { field_0: 'Ada' });
    await draft.client.patch(draft.path, { meta: { a: 1 } });
    const before = await stateOf(draft);
    const etag = etagOf(await draft.client.get(draft.path));
    for (const header of ['"other"', `W/${etag}`]) {
      expectRefusal(await advance(draft, { 'If-Match': header }), 412);
      // A version that does not match takes precedence over the end of the form.
      expectRefusal(await retreat(draft, { 'If-Match': header }), 412);
      expectRefusal(await advance(draft, { 'If-Match': header, 'Idempotency-Key': 'key' }), 412);
    }
    expect(await stateOf(draft)).toEqual(before);

    const moved = await advance(draft, { 'If-Match': `"other", ${etag}` });
    const after = await stateOf(draft);
    expectMove(moved, draft, 2, 100, true);
    expect(etagOf(moved)).toBe(etagOf(await draft.client.get(draft.path)));
    expectRefusal(await retreat(draft, { 'If-Match': etag }), 412);
    expectMove(await retreat(draft, { 'If-Match': '*' }), draft, 1, 50);
    const back = await stateOf(draft);
    expect(after).toEqual({ ...before, current_step: 2, updated_at: after.updated_at });
    expect(back).toEqual({ ...before, updated_at: back.updated_at });
    expect(before.updated_at < after.updated_at && after.updated_at < back.updated_at).toBe(true);
  });
});

describe('POST /api/v1/submissions/{uuid}/advance and /retreat', () => {
  const [advance, retreat] = movesWith('');

  it('count steps in the order of their numbers, including hidden steps and ignoring gaps (S8)', async () => {
    const draft = await newDraft(use, steps(4));
    const { manager } = use.database.dataSource;
    await use.service.hearing(async () => {
      for (const [index, stepNumber] of [7, 100, 3, 2_147_483_647].entries())
        await manager.update(Step, { id: draft.steps[index]!.id }, { stepNumber, isVisible: index !== 1 });
    });
    // The draft is on the step with the number 7.
    expectMove(await retreat(draft), draft, 1, 25);
    expectMove(await advance(draft), draft, 2, 50);
    expectMove(await advance(draft), draft, 3, 75);
    expectMove(await advance(draft), draft, 4, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
  });

  it('allow a move from the former last step when a step is added, and reject it when the step is deleted', async () => {
    const draft = await newDraft(use, steps(2));
    const { manager } = use.database.dataSource;
    const change = (work: () => Promise<unknown>) => use.service.hearing(work);
    await advance(draft);
    expectRefusal(await advance(draft), 422, ON_LAST);
    const step = manager.create(Step, { formId: draft.form.id, stepNumber: 9, title: 'New' });
    await change(() => manager.save(step));
    expectMove(await advance(draft), draft, 3, 100, true);
    await change(() => manager.delete(Step, { id: step.id }));
    expectRefusal(await advance(draft), 422, ON_LAST);
    expectMove(await retreat(draft), draft, 1, 50);
  });

  it('accept an empty body that claims to be JSON, and ignore properties (E8)', async () => {
    const draft = await newDraft(use, steps(3));
    for (const body of ['', '{}', '{"steps":5,"current_step":1}']) {
      const send = (direction: string) => draft.client.send('POST', `${draft.path}/${direction}`, body);
      expectMove(await send('advance'), draft, 2, 67);
      expectMove(await send('retreat'), draft, 1, 33);
    }
  });

  it('do not move without a valid token (A5)', async () => {
    const draft = await newDraft(use, steps(2));
    expectUnauthenticated(await use.service.anyone.post(`${draft.path}/advance`));
    expectUnauthenticated(await use.service.anyone.post(`${draft.path}/retreat`, {}));
    expect((await stateOf(draft)).current_step).toBe(1);
  });
});
