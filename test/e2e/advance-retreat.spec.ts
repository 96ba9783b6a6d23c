import { Step } from '../../src/entities.js';
import { etagOf, expectUnauthenticated, withVersion } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { type FieldPlan } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { useService } from '../support/service.js';

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
    const sibling: Draft = { ...draft, ...(await createDraft(draft.client, draft)) };

    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expectMove(await advance(draft), draft, 2, 67, false);
    expectMove(await advance(draft), draft, 3, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
    expectMove(await retreat(draft), draft, 2, 67, false);
    expectMove(await retreat(draft), draft, 1, 33, false);
    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expectMove(await advance(draft), draft, 2, 67, false);
    expect((await stateOf(draft)).data.current_step).toBe(2);
    expect((await stateOf(sibling)).data.current_step).toBe(1);
  });

  it.each([1, 0])('reject moves in both directions on a form of %d steps (S7, S8)', async (count) => {
    const draft = await newDraft(use, steps(count));
    const before = await stateOf(draft);
    expectRefusal(await advance(draft), 422, ON_LAST);
    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expect(await stateOf(draft)).toEqual(before);
  });

  it('count steps in the order of their numbers, including hidden steps and ignoring gaps (S8)', async () => {
    const draft = await newDraft(use, steps(4));
    const { manager } = use.database.dataSource;
    await use.service.hearing(async () => {
      for (const [index, stepNumber] of [7, 100, 3, 2_147_483_647].entries())
        await manager.update(Step, { id: draft.steps[index]!.id }, { stepNumber, isVisible: index !== 1 });
    });

    // The draft is on the step with the number 7.
    expectMove(await retreat(draft), draft, 1, 25, false);
    expectMove(await advance(draft), draft, 2, 50, false);
    expectMove(await advance(draft), draft, 3, 75, false);
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
    expectMove(await retreat(draft), draft, 1, 50, false);
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
    expectMove(await retreat(draft, { 'If-Match': '*' }), draft, 1, 33, false);
  });

  it('accept an empty body that claims to be JSON, and ignore properties (E8)', async () => {
    const draft = await newDraft(use, steps(3));
    for (const body of ['', '{}', '{"steps":5,"current_step":1}']) {
      const send = (direction: string) => draft.client.send('POST', `${draft.path}/${direction}`, body);
      expectMove(await send('advance'), draft, 2, 67, false);
      expectMove(await send('retreat'), draft, 1, 33, false);
    }
  });

  it('do not move without a valid token (A5)', async () => {
    const draft = await newDraft(use, steps(2));
    expectUnauthenticated(await use.service.anyone.post(`${draft.path}/advance`));
    expectUnauthenticated(await use.service.anyone.post(`${draft.path}/retreat`, {}));
    expect((await stateOf(draft)).data.current_step).toBe(1);
  });
});
