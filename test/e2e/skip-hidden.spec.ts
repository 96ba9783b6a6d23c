import { Step } from '../../src/entities.js';
import { expectMove, ON_LAST, ON_FIRST } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { addRecord, stateOf, store } from '../support/draft-requests.js';
import { type Draft, newDraftOf } from '../support/drafts.js';
import type { FormPlan } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { useService } from '../support/service.js';

/** The first step decides: `a` shows step 2, `b` shows steps 3 and 4. */
const BRANCHES: FormPlan = {
  steps: [{ branch: {} }, { two: {} }, { three: { type: 'number' } }, { four: {} }, { five: {} }],
  stepConditions: {
    2: [['branch', 'equals', 'a', 'show']],
    3: [['branch', 'equals', 'b', 'show']],
    4: [['branch', 'equals', 'b', 'show']],
  },
};

/** The second step is visible if the answer is "more". */
const MORE: FormPlan = {
  steps: [{ one: { isRequired: true } }, { two: { isRequired: true } }, { three: {} }],
  stepConditions: { 2: [['one', 'equals', 'more', 'show']], 3: [['one', 'equals', 'more', 'show']] },
};

const NEVER = [['kind', 'equals', 'never', 'show']] as const;

describe('POST …/advance?skip=hidden and …/retreat?skip=hidden (C13)', () => {
  const use = useService();

  const newDraft = (plan: FormPlan = BRANCHES) => newDraftOf(use, plan);
  const advance = ({ client, path }: Draft, headers?: Record<string, string>, more = '') =>
    client.post(`${path}/advance?skip=hidden${more}`, undefined, headers);
  const validated = (draft: Draft, headers?: Record<string, string>) =>
    advance(draft, headers, '&validate=true');
  const retreat = ({ client, path }: Draft, headers?: Record<string, string>) =>
    client.post(`${path}/retreat?skip=hidden`, undefined, headers);
  const moveByOne = ({ client, path }: Draft, direction: 'advance' | 'retreat', headers = {}) =>
    client.post(`${path}/${direction}`, undefined, headers);

  it('move over the hidden steps of a branch, count only the visible steps, and follow a change of the answer', async () => {
    const draft = await newDraft();

    await store(draft, { branch: 'b' });
    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expectMove(await advance(draft), draft, 3, 50);
    expectMove(await advance(draft), draft, 4, 75);
    expectMove(await advance(draft), draft, 5, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
    expectMove(await retreat(draft), draft, 4, 75);

    // The draft stands on step 4, which is now hidden.
    await store(draft, { branch: 'a' });
    expect((await stateOf(draft)).current_step).toBe(4);
    expectMove(await retreat(draft), draft, 2, 67);
    expectMove(await advance(draft), draft, 5, 100, true);
    expectMove(await retreat(draft), draft, 2, 67);
    expectMove(await retreat(draft), draft, 1, 33);

    await store(draft, { branch: 'neither' });
    expectMove(await advance(draft), draft, 5, 100, true);
    expectMove(await retreat(draft), draft, 1, 50);

    // Moves without the parameter stay as they are (S7, S8).
    expectMove(await moveByOne(draft, 'advance'), draft, 2, 40);
    expectMove(await moveByOne(draft, 'advance'), draft, 3, 60);
    expectMove(await moveByOne(draft, 'retreat'), draft, 2, 40);
  });

  it('stop at the last visible and at the first visible step, even if hidden steps follow (S7)', async () => {
    const draft = await newDraft({
      steps: [{ first: {} }, { two: {} }, { three: {} }, { last: {} }],
      stepConditions: {
        1: [['two', 'not_equals', 'all', 'hide']],
        4: [['two', 'equals', 'all', 'show']],
      },
    });

    // A new draft stands on step 1, although that step is hidden.
    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expectMove(await advance(draft), draft, 2, 50);
    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expectMove(await advance(draft), draft, 3, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
    expect((await stateOf(draft)).current_step).toBe(3);

    expectMove(await moveByOne(draft, 'advance'), draft, 4, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
    expectMove(await retreat(draft), draft, 3, 100, true);
  });

  it('pass steps that the panel hides, and steps without a visible field', async () => {
    const draft = await newDraft({
      steps: [
        { kind: {} },
        { panel: {} },
        { one: { conditions: [['kind', 'equals', 'x', 'show']] }, other: { conditions: NEVER } },
        {},
        { title: { type: 'heading' } },
        { inRecord: { isRepeatable: true, conditions: [['name', 'equals', 'Ada', 'show']] } },
        { name: { isRepeatable: true } },
      ],
      stepConditions: { 2: [['kind', 'not_equals', 'no', 'show']] },
      entities: [{ name: 'person', isRepeatable: true, of: ['name', 'inRecord'] }],
    });
    const { manager } = use.database.dataSource;
    await use.service.hearing(() => manager.update(Step, { id: draft.steps[1]!.id }, { isVisible: false }));

    // A heading is a field that the page shows.
    expectMove(await advance(draft), draft, 5, 67);
    expectMove(await advance(draft), draft, 7, 100, true);
    expectMove(await retreat(draft), draft, 5, 67);

    await store(draft, { kind: 'x' });
    expectMove(await retreat(draft), draft, 3, 50);

    await store(draft, { name: 'Ada' }, await addRecord(draft, 'person'));
    expectMove(await advance(draft), draft, 5, 60);
    expectMove(await advance(draft), draft, 6, 80);
  });

  it('count a step whose only visible field is in one of several records', async () => {
    const draft = await newDraft({
      steps: [
        { start: {} },
        { kind: { isRepeatable: true } },
        // Outside of records, the values of all records count, so "gone" hides the field there.
        { note: { isRepeatable: true, conditions: [['kind', 'equals', 'gone', 'hide']] } },
      ],
      entities: [{ name: 'item', isRepeatable: true, of: ['kind', 'note'] }],
    });
    await store(draft, { kind: 'gone' }, await addRecord(draft, 'item'));
    expectMove(await advance(draft), draft, 2, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
    await store(draft, { kind: 'here' }, await addRecord(draft, 'item'));
    expectMove(await advance(draft), draft, 3, 100, true);
  });

  it('use the steps and conditions that the panel has just changed (F9)', async () => {
    const draft = await newDraft();
    await store(draft, { branch: 'a' });
    expectMove(await advance(draft), draft, 2, 67);
    const { manager } = use.database.dataSource;
    await use.service.hearing(() =>
      manager.query('delete from conditions where step_id = $1', [draft.steps[2]!.id]),
    );
    expectMove(await advance(draft), draft, 3, 75);
    for (let moves = 0; moves < 2; moves += 1) await moveByOne(draft, 'advance');
    await use.service.hearing(() => manager.delete(Step, [draft.steps[4]!.id, draft.steps[3]!.id]));
    // The draft is now on the last step, because its own step is gone.
    expectRefusal(await advance(draft), 422, ON_LAST);
    expectMove(await retreat(draft), draft, 2, 67);
  });

  it.each([
    ['advance', 'skip', 'skip=all'],
    ['advance', 'skip', 'skip='],
    ['advance', 'skip', 'skip=hidden&skip=hidden'],
    ['retreat', 'skip', 'skip=Hidden'],
    ['advance', 'steps', 'skip=hidden&include=conditions&steps=1'],
    ['retreat', 'steps', 'skip=hidden&include=conditions&steps='],
    ['advance', 'validate', 'skip=hidden&validate=yes'],
  ] as const)('%s rejects an invalid %s and does not move: ?%s', async (direction, name, query) => {
    const draft = await newDraft();
    await moveByOne(draft, 'advance');
    const before = await stateOf(draft);
    expectInvalid(await draft.client.post(`${draft.path}/${direction}?${query}`), name);
    expect(await stateOf(draft)).toEqual(before);
  });

  it('include the conditions of steps after the move', async () => {
    const draft = await newDraft();
    await store(draft, { branch: 'b' });
    const answer = await advance(draft, {}, '&include=conditions&steps=true');
    const { body } = await draft.client.get(`${draft.path}/conditions?steps=true`);
    expect(answer.body.data.current_step).toBe(3);
    expect(answer.body.conditions).toEqual(body);
  });

  it('with validate=true, check the current step first, unless it is hidden or the last visible one (S12, S7)', async () => {
    const draft = await newDraft(MORE);
    expectRefusal(await validated(draft), 422, ON_LAST);
    expectInvalid(await draft.client.post(`${draft.path}/advance?validate=true`), 'one');

    await store(draft, { one: 'more' });
    expectMove(await validated(draft), draft, 2, 67);
    expectInvalid(await validated(draft), 'two');
    expect((await stateOf(draft)).current_step).toBe(2);

    const hidden = await newDraft();
    await store(hidden, { branch: 'b' });
    await advance(hidden);
    await store(hidden, { three: 'x' });
    expectInvalid(await validated(hidden), 'three');
    await store(hidden, { branch: 'a' });
    expectMove(await validated(hidden), hidden, 5, 100, true);
  });

  describe('in parallel (S9)', () => {
    const burst = <T>(size: number, call: (index: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: size }, (_, index) => call(index)));
    const stepsIn = (answers: readonly Answer[]) =>
      answers
        .filter(({ status }) => status === 200)
        .map(({ body }) => body.data.current_step as number)
        .sort();

    it('reach each visible step once, in both directions', async () => {
      const draft = await newDraft();
      await store(draft, { branch: 'b' });

      const forth = await burst(20, () => advance(draft));
      expect(stepsIn(forth)).toEqual([3, 4, 5]);
      for (const answer of forth) if (answer.status !== 200) expectRefusal(answer, 422, ON_LAST);

      const back = await burst(20, () => retreat(draft));
      expect(stepsIn(back)).toEqual([1, 3, 4]);
      for (const answer of back) if (answer.status !== 200) expectRefusal(answer, 422, ON_FIRST);
      expect((await stateOf(draft)).current_step).toBe(1);
    });

    it('wait for another transaction that holds the submission, and then use its values', async () => {
      const draft = await newDraft();
      await store(draft, { branch: 'a' });
      const moved = await use.database.dataSource.transaction(async (manager) => {
        await manager.query('select from submissions where uuid = $1 for update', [draft.uuid]);
        const answer = advance(draft);
        let isAnswered = false;
        void answer.then(() => {
          isAnswered = true;
        });
        for (let reads = 0; reads < 8; reads += 1) await stateOf(draft);
        expect(isAnswered).toBe(false);
        await manager.query(
          `update submission_values set value = 'b' where submission_uuid = $1 and field_id = $2`,
          [draft.uuid, draft.fields['branch']!.id],
        );
        return { answer };
      });
      expectMove(await moved.answer, draft, 3, 50);
    });
  });
});
