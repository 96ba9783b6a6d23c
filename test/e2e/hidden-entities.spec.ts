import { HIDDEN_VALUES } from '../../src/rules/index.js';
import { addRecord, complete, store } from '../support/draft-requests.js';
import { type Draft, newDraftOf } from '../support/drafts.js';
import type { EntityPlan, FieldPlan } from '../support/forms.js';
import { expectInvalid } from '../support/refusal.js';
import { useService, useServiceOn } from '../support/service.js';

type Plan = Record<string, FieldPlan>;
type Conditions = NonNullable<FieldPlan['conditions']>;

const use = useService();

const advance = ({ client, path }: Draft) => client.post(`${path}/advance?validate=true`);
const mistakesOf = async ({ client, path }: Draft, query = ''): Promise<string[]> =>
  Object.keys((await client.get(`${path}/validation${query}`)).body.data.errors);

const shownIf = (...[code, value]: readonly [code: string, value: string]): Conditions => [
  [code, 'equals', value, 'show'],
];
const repeated = (conditions: Conditions = []): FieldPlan => ({ isRepeatable: true, conditions });

describe.each(HIDDEN_VALUES)(
  'an entity with fields that can be hidden (C14), HIDDEN_VALUES=%s',
  (hiddenValues) => {
    const service = useServiceOn(use, { HIDDEN_VALUES: hiddenValues });

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
      expect([await mistakesOf(draft), await mistakesOf(draft, '?step=1')]).toEqual([['child'], []]);
      expect((await advance(draft)).status).toBe(200);
      expectInvalid(await advance(draft), 'child');
      expectInvalid(await complete(draft), 'child');

      await store(draft, { children: 'no' });
      expect([await mistakesOf(draft), await mistakesOf(draft, '?step=2')]).toEqual([[], []]);
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
        const ofSteps = [await mistakesOf(draft, '?step=1'), await mistakesOf(draft, '?step=2')];
        return [await mistakesOf(draft), ...ofSteps, await mistakesOf(draft, '?step=3')];
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
      expect([await mistakesOf(draft), await mistakesOf(draft, '?step=1')]).toEqual([['child'], []]);
      await addRecord(draft, 'child');
      expect((await complete(draft)).status).toBe(200);
    });
  },
);
