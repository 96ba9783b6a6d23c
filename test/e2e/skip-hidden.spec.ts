import { randomUUID } from 'node:crypto';
import { Step } from '../../src/entities.js';
import { etagOf, withVersion } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { createDraft, type Draft, newDraftOf } from '../support/drafts.js';
import type { FormPlan } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';

const ON_LAST = { message: 'Already on the last step.' };
const ON_FIRST = { message: 'Already on the first step.' };
const COMPLETED = { message: 'The submission is already completed.' };

/** The first step decides: `a` shows step 2, `b` shows steps 3 and 4. */
const BRANCHES: FormPlan = {
  steps: [{ branch: {} }, { two: {} }, { three: {} }, { four: {} }, { five: {} }],
  stepConditions: {
    2: [['branch', 'equals', 'a', 'show']],
    3: [['branch', 'equals', 'b', 'show']],
    4: [['branch', 'equals', 'b', 'show']],
  },
};

const NEVER = [['kind', 'equals', 'never', 'show']] as const;

const burst = <T>(size: number, call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: size }, (_, index) => call(index)));

describe('POST …/advance?skip=hidden and …/retreat?skip=hidden (C13)', () => {
  const use = useService();

  const newDraft = (plan: FormPlan = BRANCHES) => newDraftOf(use, plan);
  const advance = ({ client, path }: Draft, headers?: Record<string, string>, more = '') =>
    client.post(`${path}/advance?skip=hidden${more}`, undefined, headers);
  const retreat = ({ client, path }: Draft, headers?: Record<string, string>) =>
    client.post(`${path}/retreat?skip=hidden`, undefined, headers);
  const moveByOne = ({ client, path }: Draft, direction: 'advance' | 'retreat') =>
    client.post(`${path}/${direction}`);
  const stateOf = async ({ client, path }: Draft) => (await client.get(path)).body.data;
  const store = async ({ client, path }: Draft, values: Record<string, string>) => {
    const entries = Object.entries(values).map(([field_code, value]) => ({ field_code, value }));
    const answer = await client.post(`${path}/values`, { values: entries });
    expect(answer.status).toBe(200);
    return answer;
  };

  function expectMove(answer: Answer, { uuid }: Draft, step: number, percentage: number, isLast = false) {
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
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }

  it('move over the hidden steps of a branch, and count only the visible steps', async () => {
    const draft = await newDraft();

    await store(draft, { branch: 'b' });
    expectRefusal(await retreat(draft), 422, ON_FIRST);
    expectMove(await advance(draft), draft, 3, 50);
    expectMove(await advance(draft), draft, 4, 75);
    expectMove(await advance(draft), draft, 5, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
    expectMove(await retreat(draft), draft, 4, 75);
    expectMove(await retreat(draft), draft, 3, 50);
    expectMove(await retreat(draft), draft, 1, 25);

    await store(draft, { branch: 'a' });
    expectMove(await advance(draft), draft, 2, 67);
    expectMove(await advance(draft), draft, 5, 100, true);
    expectMove(await retreat(draft), draft, 2, 67);
    expectMove(await retreat(draft), draft, 1, 33);

    await store(draft, { branch: 'neither' });
    expectMove(await advance(draft), draft, 5, 100, true);
    expectMove(await retreat(draft), draft, 1, 50);
  });

  it('leave the moves without the parameter as they are (S7, S8)', async () => {
    const draft = await newDraft();

    for (const [step, percentage] of [
      [2, 40],
      [3, 60],
      [4, 80],
      [5, 100],
    ] as const)
      expectMove(await moveByOne(draft, 'advance'), draft, step, percentage, step === 5);
    expectMove(await moveByOne(draft, 'retreat'), draft, 4, 80);
  });

  it('follow a change of the answer in either direction, also from a step that it has hidden', async () => {
    const draft = await newDraft();
    await store(draft, { branch: 'b' });
    await advance(draft);
    expectMove(await advance(draft), draft, 4, 75);

    // The draft stands on step 4, which is now hidden.
    await store(draft, { branch: 'a' });
    expect((await stateOf(draft)).current_step).toBe(4);
    expectMove(await retreat(draft), draft, 2, 67);

    await store(draft, { branch: 'b' });
    expectMove(await advance(draft), draft, 3, 50);
    await store(draft, { branch: 'a' });
    expectMove(await advance(draft), draft, 5, 100, true);
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

    await store(draft, { two: 'all' });
    expectMove(await advance(draft), draft, 4, 100, true);
    expectMove(await retreat(draft), draft, 3, 75);
    expectMove(await retreat(draft), draft, 2, 50);
    expectMove(await retreat(draft), draft, 1, 25);
  });

  it.each([
    ['no steps', []],
    ['one step', [{ one: {} }]],
    ['two steps without fields', [{}, {}]],
  ] as [string, NonNullable<FormPlan['steps']>][])(
    'reject moves in both directions on a form of %s (S7)',
    async (_, steps) => {
      const draft = await newDraft({ steps });
      const before = await stateOf(draft);

      expectRefusal(await advance(draft), 422, ON_LAST);
      expectRefusal(await retreat(draft), 422, ON_FIRST);

      expect(await stateOf(draft)).toEqual(before);
    },
  );

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

    const { body } = await draft.client.post(`${draft.path}/records`, { entity: 'person' });
    const values = [{ field_code: 'name', value: 'Ada', entity_record_id: body.data.id }];
    expect((await draft.client.post(`${draft.path}/values`, { values })).status).toBe(200);
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
    const record = async (value: string) => {
      const { body } = await draft.client.post(`${draft.path}/records`, { entity: 'item' });
      const values = [{ field_code: 'kind', value, entity_record_id: body.data.id }];
      await draft.client.post(`${draft.path}/values`, { values });
    };
    await record('gone');
    expectMove(await advance(draft), draft, 2, 100, true);
    expectRefusal(await advance(draft), 422, ON_LAST);
    await record('here');
    expectMove(await advance(draft), draft, 3, 100, true);
  });

  it('bring a draft beyond the last step back to the last visible step', async () => {
    const draft = await newDraft({
      ...BRANCHES,
      stepConditions: { 3: [['branch', 'equals', 'b', 'show']] },
    });
    for (let moves = 0; moves < 4; moves += 1) await moveByOne(draft, 'advance');
    const { manager } = use.database.dataSource;
    await use.service.hearing(async () => {
      await manager.delete(Step, { id: draft.steps[4]!.id });
      await manager.delete(Step, { id: draft.steps[3]!.id });
    });

    expectRefusal(await advance(draft), 422, ON_LAST);
    expectMove(await retreat(draft), draft, 2, 100, true);
  });

  it('use the conditions that the panel has just changed (F9)', async () => {
    const draft = await newDraft();
    await store(draft, { branch: 'a' });
    expectMove(await advance(draft), draft, 2, 67);
    await use.service.hearing(() =>
      use.database.dataSource.query('delete from conditions where step_id = $1', [draft.steps[2]!.id]),
    );
    expectMove(await advance(draft), draft, 3, 75);
  });

  it.each([
    ['advance', 'skip', 'skip=all'],
    ['advance', 'skip', 'skip='],
    ['advance', 'skip', 'skip=true'],
    ['advance', 'skip', 'skip=Hidden'],
    ['advance', 'skip', 'skip=hidden&skip=hidden'],
    ['retreat', 'skip', 'skip=all'],
    ['retreat', 'skip', 'skip='],
    ['retreat', 'skip', 'skip=hidden&skip=hidden'],
    ['advance', 'steps', 'skip=hidden&include=conditions&steps=1'],
    ['retreat', 'steps', 'skip=hidden&include=conditions&steps='],
    ['advance', 'validate', 'skip=hidden&validate=yes'],
  ] as const)('%s rejects an invalid %s and does not move: ?%s', async (direction, name, query) => {
    const draft = await newDraft();
    await advance(draft);
    const before = await stateOf(draft);

    const answer = await draft.client.post(`${draft.path}/${direction}?${query}`);

    expectInvalid(answer, name);
    expect(await stateOf(draft)).toEqual(before);
  });

  it('include the conditions of steps after the move', async () => {
    const draft = await newDraft();
    await store(draft, { branch: 'b' });

    const answer = await advance(draft, {}, '&include=conditions&steps=true');

    const { body } = await draft.client.get(`${draft.path}/conditions?steps=true`);
    expect(answer.body.data.current_step).toBe(3);
    expect(answer.body.conditions).toEqual(body);
    expect(body.steps.map(({ is_visible }: { is_visible: boolean }) => is_visible)).toEqual([
      ...[true, false, true, true, true],
    ]);
  });

  it('reject moves of a completed submission and change nothing (S3)', async () => {
    const draft = await newDraft();
    await advance(draft);
    await draft.client.patch(draft.path, { status: 'completed' });
    const before = await stateOf(draft);

    expectRefusal(await advance(draft), 422, COMPLETED);
    expectRefusal(await retreat(draft), 422, COMPLETED);
    expectRefusal(await advance(draft, {}, '&validate=true'), 422, COMPLETED);
    expectRefusal(await advance(draft, { 'Idempotency-Key': 'key' }), 422, COMPLETED);

    expect(await stateOf(draft)).toEqual(before);
  });

  it('return 404 for a submission of another user, an unknown one and a deleted one (S1)', async () => {
    const draft = await newDraft();
    const { client } = await newUser(use);
    const gone = { message: 'Submission not found.' };
    const unknown = { ...draft, path: `/api/v1/submissions/${randomUUID()}` };

    for (const other of [{ ...draft, client }, unknown]) {
      expectRefusal(await advance(other), 404, gone);
      expectRefusal(await retreat(other), 404, gone);
      expectRefusal(await advance(other, { 'Idempotency-Key': 'key' }, '&validate=true'), 404, gone);
    }
    expect((await stateOf(draft)).current_step).toBe(1);
    expect((await draft.client.delete(draft.path)).status).toBe(204);
    expectRefusal(await advance(draft), 404, gone);
    expectRefusal(await retreat(draft), 404, gone);
  });

  it('change only current_step and updated_at, return the new ETag and honour If-Match (S6, S11)', async () => {
    const draft = await newDraft();
    await store(draft, { branch: 'b' });
    const etag = etagOf(await draft.client.get(draft.path));
    const before = await stateOf(draft);

    for (const header of ['"other"', `W/${etag}`]) {
      expectRefusal(await advance(draft, { 'If-Match': header }), 412);
      expectRefusal(await retreat(draft, { 'If-Match': header }), 412);
      // A version that does not match takes precedence over the end of the form.
      expectRefusal(await advance(draft, { 'If-Match': header, 'Idempotency-Key': 'key' }), 412);
    }
    expect(await stateOf(draft)).toEqual(before);

    const moved = await advance(draft, { 'If-Match': `"other", ${etag}` });
    const after = await stateOf(draft);
    expectMove(moved, draft, 3, 50);
    expect(after).toEqual({ ...before, current_step: 3, updated_at: after.updated_at });
    expect(after.updated_at > before.updated_at).toBe(true);
    expect(etagOf(moved)).toBe(etagOf(await draft.client.get(draft.path)));
    expectRefusal(await retreat(draft, { 'If-Match': etag }), 412);
    expectMove(await retreat(draft, { 'If-Match': '*' }), draft, 1, 25);
  });

  describe('with validate=true (S12)', () => {
    const validated = (draft: Draft, headers?: Record<string, string>) =>
      advance(draft, headers, '&validate=true');
    const plan: FormPlan = {
      ...BRANCHES,
      steps: [
        { branch: { isRequired: true } },
        { two: { isRequired: true } },
        { three: { type: 'number' } },
        { four: {} },
        { five: {} },
      ],
    };

    it('checks the current step, then moves over the hidden steps', async () => {
      const draft = await newDraft(plan);

      expectInvalid(await validated(draft), 'branch');
      await store(draft, { branch: 'b' });
      expectMove(await validated(draft), draft, 3, 50);
      await store(draft, { three: 'x' });
      expectInvalid(await validated(draft), 'three');
      expect((await stateOf(draft)).current_step).toBe(3);
      expectMove(await advance(draft), draft, 4, 75);
    });

    it('requires nothing of a hidden step that the draft stands on', async () => {
      const draft = await newDraft(plan);
      await store(draft, { branch: 'a' });
      await advance(draft);
      expectInvalid(await validated(draft), 'two');
      await store(draft, { branch: 'b' });
      expectMove(await validated(draft), draft, 3, 50);
    });

    it('rejects the move from the last visible step before it checks the values (S7)', async () => {
      const draft = await newDraft({
        steps: [{ one: { isRequired: true } }, { two: {} }],
        stepConditions: { 2: [['one', 'equals', 'more', 'show']] },
      });
      expectRefusal(await validated(draft), 422, ON_LAST);
      expectInvalid(await draft.client.post(`${draft.path}/advance?validate=true`), 'one');
    });

    it('is another request under an Idempotency-Key (S10)', async () => {
      const draft = await newDraft(plan);
      await store(draft, { branch: 'b' });
      const first = await validated(draft, { 'Idempotency-Key': 'key' });
      expectMove(first, draft, 3, 50);
      expect((await validated(draft, { 'Idempotency-Key': 'key' })).body).toEqual(first.body);
      expectInvalid(await advance(draft, { 'Idempotency-Key': 'key' }), 'Idempotency-Key');
      expect((await stateOf(draft)).current_step).toBe(3);
    });
  });

  describe('with an Idempotency-Key (S10)', () => {
    const withKey = (key: string) => ({ 'Idempotency-Key': key });

    it('move once and repeat the first response, even if the branch has changed since', async () => {
      const draft = await newDraft();
      await store(draft, { branch: 'b' });
      const first = await advance(draft, withKey('forth'));
      expectMove(first, draft, 3, 50);

      await store(draft, { branch: 'a' });
      const again = await advance(draft, withKey('forth'));
      expect([again.status, again.body, etagOf(again)]).toEqual([200, first.body, etagOf(first)]);
      expect((await stateOf(draft)).current_step).toBe(3);

      const back = await retreat(draft, withKey('back'));
      expectMove(back, draft, 2, 67);
      const backAgain = await retreat(draft, withKey('back'));
      expect([backAgain.body, etagOf(backAgain)]).toEqual([back.body, etagOf(back)]);
      expect((await stateOf(draft)).current_step).toBe(2);
    });

    it('reject the key for a move without the parameter, in the other direction or of another submission', async () => {
      const draft = await newDraft();
      const sibling: Draft = { ...draft, ...(await createDraft(draft.client, draft)) };
      await advance(draft, withKey('key'));

      for (const answer of [
        await draft.client.post(`${draft.path}/advance`, undefined, withKey('key')),
        await draft.client.post(`${draft.path}/advance?validate=true`, undefined, withKey('key')),
        await retreat(draft, withKey('key')),
        await advance(sibling, withKey('key')),
      ])
        expectInvalid(answer, 'Idempotency-Key');

      await draft.client.post(`${draft.path}/retreat`, undefined, withKey('plain'));
      expectInvalid(await retreat(draft, withKey('plain')), 'Idempotency-Key');
      expect([(await stateOf(draft)).current_step, (await stateOf(sibling)).current_step]).toEqual([4, 1]);
    });

    it('do not store errors', async () => {
      const draft = await newDraft({
        steps: [{ one: {} }, { two: {} }],
        stepConditions: { 2: [['one', 'equals', 'more', 'show']] },
      });
      expectRefusal(await advance(draft, withKey('key')), 422, ON_LAST);
      await store(draft, { one: 'more' });
      expectMove(await advance(draft, withKey('key')), draft, 2, 100, true);
    });

    it('move once if many identical requests are sent in parallel', async () => {
      const draft = await newDraft();
      await store(draft, { branch: 'b' });

      const answers = await burst(20, () => advance(draft, withKey('key')));

      for (const answer of answers)
        if (answer.status === 200) expectMove(answer, draft, 3, 50);
        else expectRefusal(answer, 409);
      expect(answers.some(({ status }) => status === 200)).toBe(true);
      expect((await stateOf(draft)).current_step).toBe(3);
    });
  });

  describe('in parallel (S9)', () => {
    const statuses = (answers: readonly Answer[]) =>
      answers
        .filter(({ status }) => status === 200)
        .map(({ body }) => body.data.current_step as number)
        .sort();

    it('reach each visible step once, in both directions', async () => {
      const draft = await newDraft();
      await store(draft, { branch: 'b' });

      const forth = await burst(30, () => advance(draft));
      expect(statuses(forth)).toEqual([3, 4, 5]);
      for (const answer of forth) if (answer.status !== 200) expectRefusal(answer, 422, ON_LAST);
      expect((await stateOf(draft)).current_step).toBe(5);

      const back = await burst(30, () => retreat(draft));
      expect(statuses(back)).toEqual([1, 3, 4]);
      for (const answer of back) if (answer.status !== 200) expectRefusal(answer, 422, ON_FIRST);
      expect((await stateOf(draft)).current_step).toBe(1);
    });

    it('with the same If-Match, move exactly once', async () => {
      const draft = await newDraft();
      const etag = etagOf(await draft.client.get(draft.path));

      const answers = await burst(30, () => advance(draft, { 'If-Match': etag }));

      expect(statuses(answers)).toEqual([5]);
      for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 412);
    });

    /** The steps that each branch shows. */
    const visible: Record<string, readonly number[]> = { a: [1, 2, 5], b: [1, 3, 4, 5] };

    it('and beside moves without the parameter and changes of the branch, act as if one after another', async () => {
      const draft = await newDraft();
      const { client, path } = draft;
      let branch = 'a';
      let step = 1;
      await store(draft, { branch });
      const operations = [
        { name: 'a', send: () => store(draft, { branch: 'a' }) },
        { name: 'advance', send: () => advance(draft) },
        { name: 'b', send: () => store(draft, { branch: 'b' }) },
        { name: 'retreat', send: () => retreat(draft) },
        { name: 'advance by one', send: () => client.post(`${path}/advance`) },
        { name: 'retreat by one', send: () => client.post(`${path}/retreat`) },
      ];

      for (let round = 0; round < 5; round += 1) {
        const answers = await burst(30, async (index) => {
          const { name, send } = operations[index % operations.length]!;
          return { name, answer: await send() };
        });
        const written = answers.filter(({ answer }) => answer.status === 200);
        for (const { name, answer } of answers)
          if (answer.status !== 200)
            expectRefusal(answer, 422, name.startsWith('advance') ? ON_LAST : ON_FIRST);

        // Each write has a later ETag than the write before it, so this is the order in which they were executed.
        const ordered = written.toSorted((one, other) =>
          etagOf(one.answer) < etagOf(other.answer) ? -1 : 1,
        );
        for (const { name, answer } of ordered) {
          if (name === 'a' || name === 'b') {
            branch = name;
            continue;
          }
          const all = [1, 2, 3, 4, 5];
          const counted = name.endsWith('one') ? all : visible[branch]!;
          step = name.startsWith('advance')
            ? counted.find((number) => number > step)!
            : counted.findLast((number) => number < step)!;
          const position = counted.indexOf(step) + 1;
          const percentage = Math.round((100 * position) / counted.length);
          expectMove(answer, draft, step, percentage, position === counted.length);
        }
        expect((await stateOf(draft)).current_step).toBe(step);
      }
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
        for (let reads = 0; reads < 20; reads += 1) await stateOf(draft);
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
