import { Submission, SubmissionValue } from '../../src/entities.js';
import { asRead, etagOf, ON_LAST, ON_FIRST } from '../support/answers.js';
import { type Answer, client as clientOf } from '../support/client.js';
import { stateOf } from '../support/draft-requests.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { buildForm, buildRecords, type FieldPlan } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, useService, withServiceOn } from '../support/service.js';

const steps = (count: number) => Array.from({ length: count }, (): Record<string, FieldPlan> => ({}));
const burst = <T>(size: number, call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: size }, (_, index) => call(index)));
const withStatus = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status);

describe('concurrent calls (S9)', () => {
  const use = useService();

  const manager = () => use.database.dataSource.manager;
  const advance = ({ client, path }: Draft, headers?: Record<string, string>) =>
    client.post(`${path}/advance`, undefined, headers);
  const retreat = ({ client, path }: Draft) => client.post(`${path}/retreat`);

  it('move one step each up to either end of five steps, on two instances, and are rejected beyond it', async () => {
    const { form } = await buildForm(use.database.dataSource, { steps: steps(5) });
    const { plainToken, client } = await newUser(use);
    const { path } = await createDraft(client, { form, steps: [], fields: {} });
    await withServiceOn(use.database, {}, async ({ url }) => {
      const clients = [client, clientOf(url, { Authorization: `Bearer ${plainToken}` })];
      for (const [direction, reached, refusal, end] of [
        ['advance', [2, 3, 4, 5], ON_LAST, 5],
        ['retreat', [1, 2, 3, 4], ON_FIRST, 1],
      ] as const) {
        const answers = await burst(20, (index) => clients[index % 2]!.post(`${path}/${direction}`));
        const moved = withStatus(answers, 200).map(({ body }) => body.data);
        expect(moved.map(({ current_step }) => current_step).sort()).toEqual(reached);
        const refused = answers.filter(({ status }) => status !== 200);
        expect(refused).toHaveLength(16);
        for (const answer of refused) expectRefusal(answer, 422, refusal);
        for (const one of clients) expect((await one.get(path)).body.data.current_step).toBe(end);
      }
    });
  });

  it.each([2, 5])(
    'in both directions stay within the %d steps of a form, and no move is lost',
    async (count) => {
      const draft = await newDraft(use, steps(count));
      const answers = await burst(40, (index) => (index % 2 === 0 ? advance(draft) : retreat(draft)));
      let step = 1;
      for (const [index, answer] of answers.entries()) {
        const [change, refusal] = index % 2 === 0 ? [1, ON_LAST] : [-1, ON_FIRST];
        if (answer.status !== 200) expectRefusal(answer, 422, refusal);
        else {
          step += change;
          expect([1, 2, 3, 4, 5].slice(0, count)).toContain(answer.body.data.current_step);
        }
      }
      expect((await stateOf(draft)).current_step).toBe(step);
    },
  );

  describe('storing values', () => {
    const codes = Array.from({ length: 25 }, (_, index) => `field_${index}`);
    const oneStep = [Object.fromEntries(codes.map((code): [string, FieldPlan] => [code, {}]))];
    const storeAll = ({ client, path }: Draft, value: string, order: readonly string[]) =>
      client.post(`${path}/values`, { values: order.map((field_code) => ({ field_code, value })) });

    it('succeeds with the same fields in opposite orders, and leaves all values of one call (V3, V5)', async () => {
      const draft = await newDraft(use, oneStep);

      const answers = await burst(16, (index) =>
        storeAll(draft, `call ${index}`, index % 2 === 0 ? codes : codes.toReversed()),
      );

      expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
      const { values } = await stateOf(draft);
      expect(values.map(({ field_code }: { field_code: string }) => field_code)).toEqual(codes);
      expect(new Set(values.map(({ value }: SubmissionValue) => value)).size).toBe(1);
      for (const [index, { body }] of answers.entries()) {
        expect(body.data.every(({ value }: SubmissionValue) => value === `call ${index}`)).toBe(true);
      }
    });

    it('leaves one value for each record of a repeatable field (V5)', async () => {
      const draft = await newDraft(use, [{ many: { isRepeatable: true }, one: {} }]);
      const records = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 5);
      const keys = [...records, null];

      const answers = await burst(16, (index) =>
        draft.client.post(`${draft.path}/values`, {
          values: (index % 2 === 0 ? keys : keys.toReversed()).flatMap((record) =>
            ['many', 'one'].map((field_code) => ({
              field_code,
              value: `${index}`,
              entity_record_id: record,
            })),
          ),
        }),
      );

      expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
      const { values } = await stateOf(draft);
      expect(values).toHaveLength(keys.length + 1);
      expect(new Set(values.map(({ value }: SubmissionValue) => value)).size).toBe(1);
    });

    it('keeps the values of all calls for different fields', async () => {
      const draft = await newDraft(use, oneStep);

      const answers = await Promise.all(codes.map((code) => storeAll(draft, `the ${code}`, [code])));

      expect(answers.map(({ status }) => status)).toEqual(codes.map(() => 200));
      const { values } = await stateOf(draft);
      expect(values.map(({ value }: SubmissionValue) => value)).toEqual(codes.map((code) => `the ${code}`));
    });

    it('succeeds while the submission is moved and patched', async () => {
      const draft = await newDraft(use, [...oneStep, ...steps(4)]);

      const answers = await burst(24, (index) => {
        if (index % 4 === 0) return advance(draft);
        if (index % 4 === 1) return draft.client.patch(draft.path, { meta: { index } });
        return storeAll(draft, `${index}`, codes);
      });

      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((_, index) => index % 4 !== 0)).toEqual(Array(18).fill(200));
      expect(statuses.filter((_, index) => index % 4 === 0).sort()).toEqual([
        ...Array(4).fill(200),
        ...Array(2).fill(422),
      ]);
    });

    it('writes nothing after the call that completes the submission (S3)', async () => {
      const draft = await newDraft(use, oneStep);

      const [completed, ...stored] = await Promise.all([
        draft.client.patch(draft.path, { status: 'completed' }),
        ...codes.map((code) => storeAll(draft, 'x', [code])),
      ]);

      expect(completed.status).toBe(200);
      const state = await stateOf(draft);
      expect(state.updated_at).toBe(completed.body.data.updated_at);
      expect(state.values).toHaveLength(withStatus(stored, 200).length);
      for (const answer of stored.filter(({ status }) => status !== 200)) {
        expectRefusal(answer, 422, { message: 'The submission is already completed.' });
      }
    });
  });

  describe('with one Idempotency-Key (S10)', () => {
    /** Expects that every call gets the first response or 409. Returns the first response. */
    function expectOneAnswer(answers: readonly Answer[], status: number): Answer {
      const first = withStatus(answers, status);
      const running = answers.filter((answer) => answer.status !== status);
      expect(first.length).toBeGreaterThanOrEqual(1);
      for (const { body } of first) expect(body).toEqual(first[0]!.body);
      for (const answer of running) expectRefusal(answer, 409);
      return first[0]!;
    }

    it('create one submission, and without a key as many as there are calls', async () => {
      const { client, id: userId } = await newUser(use);
      const { form } = await buildForm(use.database.dataSource);
      const create = (headers = {}) => client.post('/api/v1/submissions', { form_uuid: form.uuid }, headers);
      const stored = async () => (await manager().findBy(Submission, { userId })).map(({ uuid }) => uuid);
      const key = { 'Idempotency-Key': 'burst' };

      const first = expectOneAnswer(await burst(16, () => create(key)), 201);
      expect(await stored()).toEqual([first.body.data.uuid]);
      expect((await create(key)).body).toEqual(first.body);

      const answers = await burst(16, () => create());
      expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(201));
      expect(await stored()).toHaveLength(17);
    });

    it('move a submission once', async () => {
      const draft = await newDraft(use, steps(9));
      const move = () => advance(draft, { 'Idempotency-Key': 'burst' });

      const answers = await burst(16, move);

      expect(expectOneAnswer(answers, 200).body.data.current_step).toBe(2);
      expect((await stateOf(draft)).current_step).toBe(2);
      expect((await move()).body.data.current_step).toBe(2);
    });

    it('get 409 while the first call is running, and its response afterwards', async () => {
      const draft = await newDraft(use, steps(3));
      const move = () => advance(draft, { 'Idempotency-Key': 'held up' });

      const calls = await use.database.dataSource.transaction(async (manager) => {
        // Lock the row, so that the first call waits.
        await manager.query('select from submissions where uuid = $1 for update', [draft.uuid]);
        const both = [move(), move()];
        expectRefusal(await Promise.race(both), 409);
        return both;
      });

      const answers = await Promise.all(calls);
      const [first] = withStatus(answers, 200);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect((await move()).body).toEqual(first?.body);
      expect((await stateOf(draft)).current_step).toBe(2);
    });
  });

  describe('with the same If-Match (S11)', () => {
    it('write once, even on different endpoints', async () => {
      const draft = await newDraft(use, [{ name: {} }, ...steps(20)]);
      const headers = { 'If-Match': etagOf(await draft.client.get(draft.path)) };
      const values = { values: [{ field_code: 'name', value: 'x' }] };

      const answers = await burst(16, (index) => {
        if (index % 3 === 0) return draft.client.post(`${draft.path}/values`, values, headers);
        if (index % 3 === 1) return advance(draft, headers);
        return draft.client.patch(draft.path, { meta: {} }, headers);
      });

      const written = withStatus(answers, 200);
      expect(written).toHaveLength(1);
      for (const answer of answers) if (answer !== written[0]) expectRefusal(answer, 412);
      expect(etagOf(await draft.client.get(draft.path))).toBe(etagOf(written[0]!));
    });
  });

  it('patch meta one after another, and every state gets its own ETag (S5, S11)', async () => {
    const draft = await newDraft(use);

    const answers = await burst(16, (index) => draft.client.patch(draft.path, { meta: { index } }));

    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect(answers.map(({ body }) => body.data.meta)).toEqual(answers.map((_, index) => ({ index })));
    expect(new Set(answers.map(etagOf)).size).toBe(16);
    const last = answers.reduce((one, other) =>
      one.body.data.updated_at > other.body.data.updated_at ? one : other,
    );
    expect(await stateOf(draft)).toEqual(asRead(last.body.data, draft.form.version));
  });
});
