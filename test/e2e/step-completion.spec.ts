import { Step } from '../../src/entities.js';
import { HIDDEN_VALUES } from '../../src/conditions/engine/index.js';
import { addRecord, complete, stateOf, store } from '../support/draft-requests.js';
import { type Draft, newDraftOf } from '../support/drafts.js';
import type { EntityPlan, FieldPlan, FormPlan } from '../support/forms.js';
import { expectInvalid } from '../support/refusal.js';
import { useService, useServiceOn } from '../support/service.js';

/** The issue's example: "no" hides the children, of whom at least one is needed. */
const CHILDREN: FormPlan = {
  form: { completion: 'strict' },
  steps: [
    { children: { type: 'radio', options: ['yes', 'no'], isRequired: true } },
    {
      name: { isRepeatable: true, isRequired: true },
      age: { isRepeatable: true, type: 'number' },
    },
    { remark: {} },
  ],
  entities: [
    {
      name: 'child',
      isRepeatable: true,
      minRecords: 1,
      of: ['name', 'age'],
      conditions: [['children', 'equals', 'yes', 'show']],
    },
  ],
};

type Plan = Record<string, FieldPlan>;
type Conditions = NonNullable<FieldPlan['conditions']>;

const shownIf = (...[code, value]: readonly [code: string, value: string]): Conditions => [
  [code, 'equals', value, 'show'],
];
const repeated = (conditions: Conditions = []): FieldPlan => ({ isRepeatable: true, conditions });

const use = useService();

describe.each(HIDDEN_VALUES)(
  'completion with hidden steps and entities (C14), HIDDEN_VALUES=%s',
  (hiddenValues) => {
    const service = useServiceOn(use, { HIDDEN_VALUES: hiddenValues });

    const newDraft = (plan: FormPlan) => newDraftOf({ ...use, service }, plan);
    const advance = ({ client, path }: Draft) => client.post(`${path}/advance?validate=true`);
    const mistakesOf = async ({ client, path }: Draft, step?: number): Promise<string[]> => {
      const { body } = await client.get(`${path}/validation${step === undefined ? '' : `?step=${step}`}`);
      const keys = Object.keys(body.data.errors);
      expect(body.data.valid).toBe(keys.length === 0);
      return keys;
    };
    const ofEachStep = async (draft: Draft) => {
      const mistakes: string[][] = [];
      for (const { stepNumber } of draft.steps) mistakes.push(await mistakesOf(draft, stepNumber));
      return mistakes;
    };

    it('asks for nothing on a step that the panel hides, but checks the values there (C13)', async () => {
      const draft = await newDraft({
        form: { completion: 'strict' },
        steps: [
          { children: {} },
          {
            reason: { isRequired: true, rules: { max_length: '3' } },
            agreed: { type: 'checkbox', isRequired: true },
            asked: { conditions: [['children', 'equals', 'yes', 'require']] },
            name: { isRepeatable: true, isRequired: true },
          },
          { remark: { isRequired: true }, age: { isRepeatable: true } },
        ],
        entities: [
          { name: 'child', isRepeatable: true, minRecords: 1, of: ['name'] },
          { name: 'person', isRepeatable: true, minRecords: 1, of: ['age'] },
        ],
      });
      const everything = ['reason', 'agreed', 'remark', 'child', 'person'];
      expect((await mistakesOf(draft)).toSorted()).toEqual(everything.toSorted());
      const show = async (isVisible: boolean, expected: readonly string[]) => {
        const { manager } = use.database.dataSource;
        await service.hearing(() => manager.update(Step, draft.steps[1]!.id, { isVisible }));
        expect((await mistakesOf(draft)).toSorted()).toEqual(expected.toSorted());
      };
      await show(false, ['remark', 'person']);
      expect(await ofEachStep(draft)).toEqual([[], [], expect.arrayContaining(['remark', 'person'])]);

      await store(draft, { children: 'yes', agreed: 'false' });
      const record = await addRecord(draft, 'child');
      expect((await mistakesOf(draft)).toSorted()).toEqual(['person', 'remark']);
      await store(draft, { reason: 'long' });
      expect(await mistakesOf(draft, 2)).toEqual(['reason']);
      expect((await advance(draft)).status).toBe(200);
      expectInvalid(await advance(draft), 'reason');

      const { body } = await draft.client.get(`${draft.path}/conditions?shape=list`);
      const required = body.data
        .filter((state: any) => state.is_required)
        .map((state: any) => state.field_code);
      expect(required).toEqual(['reason', 'agreed', 'asked', 'name', 'remark']);

      await show(true, ['reason', 'agreed', 'asked', `name.${record}`, 'remark', 'person']);
    });

    it('accepts "Any children? no", although at least one child is needed', async () => {
      const draft = await newDraft(CHILDREN);
      expect(await mistakesOf(draft)).toEqual(['children']);

      await store(draft, { children: 'yes' });
      expect([await mistakesOf(draft), await ofEachStep(draft)]).toEqual([['child'], [[], ['child'], []]]);
      expectInvalid(await complete(draft), 'child');

      await store(draft, { children: 'no' });
      expect([await mistakesOf(draft), await ofEachStep(draft)]).toEqual([[], [[], [], []]]);
      expect((await advance(draft)).status).toBe(200);
      expect((await advance(draft)).status).toBe(200);
      expect((await complete(draft)).status).toBe(200);
    });

    it('keeps the records of a hidden entity, and does not judge them', async () => {
      const draft = await newDraft(CHILDREN);
      await store(draft, { children: 'yes' });
      const record = await addRecord(draft, 'child');
      await store(draft, { age: 'seven' }, record);
      const ofRecord = [`name.${record}`, `age.${record}`];
      expect(await mistakesOf(draft)).toEqual(ofRecord);
      expectInvalid(await complete(draft), ...ofRecord);

      await store(draft, { children: 'no' });
      expect([await mistakesOf(draft), await mistakesOf(draft, 2)]).toEqual([[], []]);
      const before = await stateOf(draft);
      expect(before.records).toHaveLength(1);
      expect(before.values).toContainEqual(expect.objectContaining({ field_code: 'age', value: 'seven' }));

      // Nothing is lost if the person changes their mind.
      await store(draft, { children: 'yes' });
      expect(await mistakesOf(draft)).toEqual(ofRecord);

      await store(draft, { children: 'no' });
      expect((await complete(draft)).status).toBe(200);
      const { records, values } = await stateOf(draft);
      expect({ records, values }).toEqual({ records: before.records, values: before.values });
    });

    it('requires nothing of a hidden step, and validates it without an error', async () => {
      const draft = await newDraft({
        form: { completion: 'strict' },
        steps: [
          { job: { isRequired: true } },
          {
            employer: { isRequired: true },
            salary: { type: 'number', conditions: [['job', 'not_empty', '', 'require']] },
          },
          { remark: {} },
        ],
        stepConditions: { 2: [['job', 'equals', 'yes', 'show']] },
      });

      await store(draft, { job: 'yes', salary: 'much' });
      expect([await mistakesOf(draft), await mistakesOf(draft, 2)]).toEqual([
        ['employer', 'salary'],
        ['employer', 'salary'],
      ]);
      expectInvalid(await complete(draft), 'employer', 'salary');

      await store(draft, { job: 'no' });
      expect([await mistakesOf(draft), await ofEachStep(draft)]).toEqual([[], [[], [], []]]);
      expectInvalid(await draft.client.get(`${draft.path}/validation?step=4`), 'step');
      // The draft may stand on the hidden step.
      expect([(await advance(draft)).status, (await advance(draft)).status]).toEqual([200, 200]);
      expect((await complete(draft)).status).toBe(200);
    });

    it('needs no records of an entity whose only step is hidden, but those of one that another step shows', async () => {
      const draft = await newDraft({
        form: { completion: 'strict' },
        steps: [{ wanted: {} }, { name: { isRepeatable: true } }, { age: { isRepeatable: true } }],
        stepConditions: {
          2: [['wanted', 'contains', 'name', 'show']],
          3: [['wanted', 'contains', 'age', 'show']],
        },
        entities: [{ name: 'child', isRepeatable: true, minRecords: 1, of: ['name', 'age'] }],
      });
      const mistakes = async (wanted: string) => {
        await store(draft, { wanted });
        return [await mistakesOf(draft), ...(await ofEachStep(draft))];
      };

      expect(await mistakes('nothing')).toEqual([[], [], [], []]);
      expect(await mistakes('name')).toEqual([['child'], [], ['child'], []]);
      expect(await mistakes('age')).toEqual([['child'], [], [], ['child']]);
      expect(await mistakes('name, age')).toEqual([['child'], [], ['child'], ['child']]);
      expect(await mistakes('')).toEqual([[], [], [], []]);
      expect((await complete(draft)).status).toBe(200);
    });

    it('decides on the values that are stored when it happens, beside parallel changes of the answer', async () => {
      for (let round = 0; round < 3; round += 1) {
        const draft = await newDraft(CHILDREN);
        await store(draft, { children: 'yes' });
        const [completed] = await Promise.all([
          complete(draft),
          ...['no', 'yes', 'no'].map((value) =>
            draft.client.post(`${draft.path}/values`, { values: [{ field_code: 'children', value }] }),
          ),
        ]);
        const { status, values } = await stateOf(draft);
        if (completed.status === 200) expect([status, values[0].value]).toEqual(['completed', 'no']);
        else expectInvalid(completed, 'child');
      }
    });

    describe('of an entity with fields that can be hidden', () => {
      /** Creates a draft of a strict form with one entity, `child`, to which the given fields belong, or all repeatable ones. */
      const draftOf = (steps: Plan[], entity: Partial<EntityPlan> = { minRecords: 1 }) => {
        const plans = steps.flatMap((step) => Object.entries(step));
        const of = plans.filter(([, plan]) => plan.isRepeatable).map(([code]) => code);
        return newDraftOf(
          { ...use, service },
          {
            form: { completion: 'strict' },
            steps,
            entities: [{ name: 'child', isRepeatable: true, of, ...entity }],
          },
        );
      };

      it('needs no min_records in completion, advance and validation while all its fields are hidden', async () => {
        const draft = await draftOf([
          { children: { type: 'radio', options: ['yes', 'no'], isRequired: true } },
          { name: { ...repeated(shownIf('children', 'yes')), isRequired: true } },
          {},
        ]);
        await store(draft, { children: 'yes' });
        expect([await mistakesOf(draft), await mistakesOf(draft, 1)]).toEqual([['child'], []]);
        expect((await advance(draft)).status).toBe(200);
        expectInvalid(await advance(draft), 'child');
        expectInvalid(await complete(draft), 'child');

        await store(draft, { children: 'no' });
        expect([await mistakesOf(draft), await mistakesOf(draft, 2)]).toEqual([[], []]);
        expect((await advance(draft)).status).toBe(200);
        expect((await complete(draft)).status).toBe(200);
      });

      it('needs min_records once a field of it is visible, on the steps with a visible field', async () => {
        const draft = await draftOf([
          { wanted: {} },
          { name: repeated(shownIf('wanted', 'names')) },
          { age: repeated(shownIf('wanted', 'ages')), title: { ...repeated(), type: 'heading' } },
        ]);
        const mistakes = async (value: string) => {
          await store(draft, { wanted: value });
          const ofSteps = [await mistakesOf(draft, 1), await mistakesOf(draft, 2)];
          return [await mistakesOf(draft), ...ofSteps, await mistakesOf(draft, 3)];
        };

        expect(await mistakes('names')).toEqual([['child'], [], ['child'], ['child']]);
        // Without a visible input, the entity is still visible on step 3, because its heading is visible.
        expect(await mistakes('nothing')).toEqual([['child'], [], [], ['child']]);
        await service.hearing(() =>
          use.database.dataSource.query('delete from fields where id = $1', [draft.fields['title']!.id]),
        );
        expect(await mistakes('names')).toEqual([['child'], [], ['child'], []]);
        expect(await mistakes('ages')).toEqual([['child'], [], [], ['child']]);
        expect(await mistakes('nothing')).toEqual([[], [], [], []]);
      });

      it('with records, is hidden if its fields are hidden both in each record and outside of records', async () => {
        // Outside of records, conditions see the values of all records.
        const gone: Conditions = [['first', 'equals', 'gone', 'hide']];
        const draft = await draftOf([{ first: repeated(gone) }], { minRecords: 3 });
        const one = await addRecord(draft, 'child');
        expect(await mistakesOf(draft)).toEqual(['child']);
        await store(draft, { first: 'gone' }, one);
        expect(await mistakesOf(draft)).toEqual([]);

        // The field is visible in the other record, so the entity is visible too.
        const other = await addRecord(draft, 'child');
        expect(await mistakesOf(draft)).toEqual(['child']);
        await store(draft, { first: 'gone' }, other);
        expect(await mistakesOf(draft)).toEqual([]);
        expect((await complete(draft)).status).toBe(200);
      });

      it('is visible if a field is visible outside of records, even if each record hides it', async () => {
        const draft = await draftOf([{ kind: repeated(), note: repeated(shownIf('kind', 'other')) }], {
          minRecords: 2,
          // `kind`, which decides whether `note` is visible, does not belong to the entity.
          of: ['note'],
        });
        const record = await addRecord(draft, 'child');
        expect(await mistakesOf(draft)).toEqual([]);
        await store(draft, { kind: 'other' }, record);
        expect(await mistakesOf(draft)).toEqual(['child']);
      });

      it('is hidden only by values that count', async () => {
        const draft = await draftOf([
          { any: {}, children: { conditions: shownIf('any', 'yes') } },
          { name: repeated(shownIf('children', 'yes')) },
        ]);
        // Conditions use the value of a hidden field only with HIDDEN_VALUES=keep (C5).
        await store(draft, { children: 'yes' });
        expect(await mistakesOf(draft)).toEqual(hiddenValues === 'keep' ? ['child'] : []);
        await store(draft, { any: 'yes' });
        expect(await mistakesOf(draft)).toEqual(['child']);
      });

      it('needs min_records in the whole form, but on no step, if it has no fields', async () => {
        const draft = await draftOf([{ name: {} }]);
        expect([await mistakesOf(draft), await mistakesOf(draft, 1)]).toEqual([['child'], []]);
        await addRecord(draft, 'child');
        expect((await complete(draft)).status).toBe(200);
      });
    });
  },
);
