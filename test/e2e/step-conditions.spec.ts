import { EntityDefinition } from '../../src/entities.js';
import { addRecord, store } from '../support/draft-requests.js';
import { type Draft, newDraftOf } from '../support/drafts.js';
import { buildConditions, type FormPlan } from '../support/forms.js';
import { expectInvalid } from '../support/refusal.js';
import { useService, withServiceOn } from '../support/service.js';

const met = (depends_on_field_code: string, operator: string, value: string, action: string) => ({
  ...{ depends_on_field_code, operator, value, action },
});

/** `job` decides on step 2, `children` on the entity, and `adult` on one field of each. */
const PLAN: FormPlan = {
  steps: [
    { job: {}, children: {}, adult: {} },
    {
      employer: { isRequired: true },
      salary: {
        conditions: [
          ['adult', 'equals', 'no', 'hide'],
          ['job', 'not_empty', '', 'require'],
        ],
      },
    },
    {
      name: { isRepeatable: true, isRequired: true },
      school: { isRepeatable: true, conditions: [['name', 'equals', 'Ada', 'hide']] },
    },
    { remark: {} },
  ],
  stepConditions: {
    2: [
      ['job', 'equals', 'yes', 'show'],
      ['job', 'contains', 'part', 'show'],
      ['adult', 'equals', 'no', 'hide'],
    ],
    3: [['children', 'equals', 'unknown', 'hide']],
  },
  entities: [
    {
      name: 'child',
      isRepeatable: true,
      of: ['name', 'school'],
      conditions: [['children', 'equals', 'yes', 'show']],
    },
    { name: 'pet', isRepeatable: true },
  ],
};

describe('conditions of steps and entities', () => {
  const use = useService();

  const newDraft = (plan: FormPlan = PLAN) => newDraftOf(use, plan);
  const conditions = async ({ client, path }: Draft, query = '') => {
    const answer = await client.get(`${path}/conditions?${query}`);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  /** The codes of the visible fields, with "!" after each required field. */
  const visibleOf = async (draft: Draft): Promise<string[]> => {
    const { data } = await conditions(draft, 'shape=list');
    return data.flatMap(({ field_code, is_visible, is_required }: Record<string, string>) =>
      is_visible ? [`${field_code}${is_required ? '!' : ''}`] : [],
    );
  };

  describe('in GET /api/v1/forms/{uuid}/schema (C11)', () => {
    const schemaOf = async ({ form }: Pick<Draft, 'form'>) =>
      (await use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`)).body.data;

    it('are listed at each step and entity, and are [] where there are none', async () => {
      const draft = await newDraft();
      const { job, children, adult } = draft.fields;
      const { steps, entities } = await schemaOf(draft);

      const condition = (field: typeof job, ...[operator, value, action]: [string, string, string]) => ({
        ...{ depends_on_field_id: field!.id, depends_on_field_code: field!.code },
        ...{ operator, value, value_field_code: null, action, group: null },
      });
      expect(steps.map(({ conditions }: { conditions: unknown }) => conditions)).toEqual([
        [],
        [
          condition(job, 'equals', 'yes', 'show'),
          condition(job, 'contains', 'part', 'show'),
          condition(adult, 'equals', 'no', 'hide'),
        ],
        [condition(children, 'equals', 'unknown', 'hide')],
        [],
      ]);
      expect(steps.map(({ is_visible }: { is_visible: boolean }) => is_visible)).toEqual(Array(4).fill(true));
      expect(entities.map(({ name, conditions }: Record<string, unknown>) => [name, conditions])).toEqual([
        ['child', [condition(children, 'equals', 'yes', 'show')]],
        ['pet', []],
      ]);
    });

    it('have their groups (C9)', async () => {
      const draft = await newDraft({
        steps: [{ a: {}, b: {} }, { c: {} }],
        stepConditions: {
          2: [
            ['a', 'equals', '1', 'show', 7],
            ['b', 'equals', '1', 'show', 7],
          ],
        },
      });
      const { steps } = await schemaOf(draft);
      expect(steps[1].conditions.map(({ group }: { group: number }) => group)).toEqual([7, 7]);
    });

    it('move the version of the form, and go with the step or entity that owns them (F8, C10)', async () => {
      const draft = await newDraft({
        steps: [{ a: {} }, { b: {} }],
        entities: [{ name: 'thing', isRepeatable: true }],
      });
      const { manager } = use.database.dataSource;
      const entity = await manager.findOneByOrFail(EntityDefinition, { formId: draft.form.id });
      const stepId = draft.steps[1]!.id;
      for (const [owner, end] of [
        [{ stepId }, 'delete from steps where id = $1'],
        [{ entityId: entity.id }, 'delete from entities where id = $1'],
      ] as const) {
        const before = await schemaOf(draft);
        await use.service.hearing(() =>
          buildConditions(manager, draft, owner, [['a', 'equals', 'x', 'show']]),
        );
        const after = await schemaOf(draft);
        const owning = 'stepId' in owner ? after.steps[1] : after.entities[0];
        expect(owning.conditions).toHaveLength(1);
        expect(after.version).toBeGreaterThan(before.version);
        await use.service.hearing(() => manager.query(end, Object.values(owner)));
        expect((await schemaOf(draft)).version).toBeGreaterThan(after.version);
        expect(await manager.query('select from conditions where form_id = $1', [draft.form.id])).toEqual([]);
      }
    });
  });

  describe('in GET …/conditions', () => {
    it('hide all fields of a hidden step or entity, which are then not required, in both shapes (C11)', async () => {
      const draft = await newDraft();
      expect(await visibleOf(draft)).toEqual(['job', 'children', 'adult', 'remark']);

      await store(draft, { job: 'yes', children: 'yes' });
      const all = ['job', 'children', 'adult', 'employer!', 'salary!', 'name!', 'school', 'remark'];
      expect(await visibleOf(draft)).toEqual(all);
      const { data: list } = await conditions(draft, 'shape=list');
      expect(list[3]).toEqual({
        ...{ field_id: draft.fields['employer']!.id, field_code: 'employer' },
        ...{ is_visible: true, is_required: true },
      });

      await store(draft, { job: 'no', children: 'no' });
      const { data: map } = await conditions(draft, 'shape=map');
      for (const code of ['employer', 'salary', 'name', 'school'])
        expect(map[draft.fields[code]!.id]).toEqual({ visible: false, required: false });
      expect(map[draft.fields['remark']!.id]).toEqual({ visible: true, required: false });

      // A met "hide" condition takes precedence over "show".
      await store(draft, { job: 'yes', adult: 'no' });
      expect(await visibleOf(draft)).toEqual(['job', 'children', 'adult', 'remark']);
      // Both the step and the entity must be visible.
      await store(draft, { adult: '', children: 'unknown' });
      expect(await visibleOf(draft)).not.toContain('name!');
    });

    it('explain what hides a field: met "hide" conditions, or else all "show" conditions', async () => {
      const draft = await newDraft();
      await store(draft, { job: 'no' });
      const explained = async (code: string) => {
        const list = (await conditions(draft, 'shape=list&explain=true')).data;
        const map = (await conditions(draft, 'explain=true')).data[draft.fields[code]!.id];
        const one = list.find(({ field_code }: { field_code: string }) => field_code === code);
        const { field_id: _, field_code: __, is_visible, is_required, ...rest } = one;
        expect(map).toEqual({ visible: is_visible, required: is_required, ...rest });
        return rest;
      };

      const shows = [met('job', 'equals', 'yes', 'show'), met('job', 'contains', 'part', 'show')];
      // The field's own "require" condition is met, but the field is hidden.
      expect(await explained('salary')).toEqual({
        conditions_met: [],
        hidden_by: [{ step_number: 2, conditions: shows }],
      });
      expect(await explained('remark')).toEqual({ conditions_met: [] });

      await store(draft, { job: 'yes', adult: 'no', children: 'unknown' });
      const hide = met('adult', 'equals', 'no', 'hide');
      expect(await explained('salary')).toEqual({
        conditions_met: [hide],
        hidden_by: [{ step_number: 2, conditions: [hide] }],
      });
      const { hidden_by } = await explained('name');
      expect(hidden_by).toHaveLength(2);
      expect(hidden_by).toEqual(
        expect.arrayContaining([
          { step_number: 3, conditions: [met('children', 'equals', 'unknown', 'hide')] },
          { entity: 'child', conditions: [met('children', 'equals', 'yes', 'show')] },
        ]),
      );
    });

    it('leave out the conditions of hidden_by once they have 1 MiB in all', async () => {
      const long = 'a'.repeat(60_000);
      const fields = Array.from({ length: 25 }, (_, index): [string, object] => [`field_${index}`, {}]);
      const draft = await newDraft({
        steps: [{ start: {} }, Object.fromEntries(fields)],
        stepConditions: { 2: [['start', 'equals', long, 'show']] },
      });
      const { data } = await conditions(draft, 'shape=list&explain=true');
      const entries = data
        .slice(1)
        .map(({ hidden_by }: { hidden_by: Record<string, unknown>[] }) => Object.keys(hidden_by[0]!));
      expect(entries.slice(0, 17)).toEqual(Array(17).fill(['step_number', 'conditions']));
      expect(entries.slice(17)).toEqual(Array(8).fill(['step_number']));
    });
  });

  describe('with steps=true (C12)', () => {
    const statesOf = async (draft: Draft) => {
      const { steps, entities } = await conditions(draft, 'steps=true');
      return {
        steps: steps.map(
          ({ is_visible, has_visible_fields }: Record<string, boolean>) =>
            `${is_visible ? 'visible' : 'hidden'}, ${has_visible_fields ? 'fields' : 'empty'}`,
        ),
        entities: entities.map(({ name, is_visible }: { name: string; is_visible: boolean }) =>
          is_visible ? name : `not ${name}`,
        ),
      };
    };

    it('adds the states of steps and entities beside data, with any other parameter', async () => {
      const draft = await newDraft();
      await store(draft, { job: 'yes' });
      await addRecord(draft, 'child');
      const steps = [
        { step_number: 1, is_visible: true, has_visible_fields: true },
        { step_number: 2, is_visible: true, has_visible_fields: true },
        { step_number: 3, is_visible: true, has_visible_fields: false },
        { step_number: 4, is_visible: true, has_visible_fields: true },
      ];
      const entities = [
        { name: 'child', is_visible: false },
        { name: 'pet', is_visible: true },
      ];
      for (const query of ['', 'shape=list&scope=records&explain=true']) {
        const without = await conditions(draft, query);
        const more = await conditions(draft, `${query}&steps=true`);
        expect(more).toEqual({ ...without, steps, entities });
        expect(await conditions(draft, `${query}&steps=false`)).toEqual(without);
      }
    });

    it('hides a step by the panel or by its conditions, and an entity without a visible field', async () => {
      const draft = await newDraft({
        steps: [
          { kind: {} },
          { a: {} },
          { b: { conditions: [['kind', 'equals', 'b', 'show']] } },
          { c: { isRepeatable: true, conditions: [['kind', 'equals', 'c', 'show']] } },
          {},
        ],
        stepConditions: { 2: [['kind', 'not_equals', 'none', 'show']] },
        entities: [
          { name: 'thing', isRepeatable: true, of: ['c'] },
          { name: 'bare', isRepeatable: true, conditions: [['kind', 'equals', 'none', 'hide']] },
        ],
      });
      const empty = ['visible, empty', 'visible, empty', 'visible, empty'];
      expect(await statesOf(draft)).toEqual({
        steps: ['visible, fields', 'visible, fields', ...empty],
        entities: ['not thing', 'bare'],
      });
      await store(draft, { kind: 'none' });
      expect(await statesOf(draft)).toEqual({
        steps: ['visible, fields', 'hidden, empty', ...empty],
        entities: ['not thing', 'not bare'],
      });
      await store(draft, { kind: 'c' });
      await use.service.hearing(() =>
        use.database.dataSource.query('update steps set is_visible = false where id = any ($1)', [
          [draft.steps[1]!.id, draft.steps[3]!.id],
        ]),
      );
      expect(await statesOf(draft)).toEqual({
        // The panel hides a step, but not its fields.
        steps: ['visible, fields', 'hidden, fields', 'visible, empty', 'hidden, fields', 'visible, empty'],
        entities: ['thing', 'bare'],
      });
    });

    it('adds empty lists for a form without steps and entities', async () => {
      const draft = await newDraft({ steps: [] });
      const { steps, entities } = await conditions(draft, 'steps=true');
      expect([steps, entities]).toEqual([[], []]);
    });

    it('rejects other values of steps', async () => {
      const { client, path } = await newDraft();
      for (const value of ['1', '', 'TRUE', 'true&steps=true'])
        expectInvalid(await client.get(`${path}/conditions?steps=${value}`), 'steps');
    });
  });

  describe('with HIDDEN_VALUES=ignore (C15)', () => {
    /** Step 2 holds the answer that shows step 3, and the entity on step 4 the answer that shows step 5. */
    const chain: FormPlan = {
      steps: [{ branch: {} }, { more: {} }, { detail: {} }, { age: { isRepeatable: true } }, { school: {} }],
      stepConditions: {
        2: [['branch', 'equals', 'long', 'show']],
        3: [['more', 'equals', 'yes', 'show']],
        5: [['age', 'less_than', '18', 'show']],
      },
      entities: [
        {
          name: 'child',
          isRepeatable: true,
          of: ['age'],
          conditions: [['branch', 'equals', 'long', 'show']],
        },
      ],
    };

    it.each([
      ['keep', ['branch', 'detail', 'school'], [1, 3, 4, 5]],
      ['ignore', ['branch'], [1, 4]],
    ] as const)(
      '%s: the values of fields on hidden steps and in hidden entities',
      (hiddenValues, fields, visibleSteps) =>
        withServiceOn(use.database, { HIDDEN_VALUES: hiddenValues }, async (service) => {
          const draft = await newDraftOf({ ...use, service }, chain);
          await store(draft, { branch: 'long', more: 'yes' });
          await store(draft, { age: '9' }, await addRecord(draft, 'child'));
          expect(await visibleOf(draft)).toEqual(['branch', 'more', 'detail', 'age', 'school']);

          await store(draft, { branch: 'short' });
          expect(await visibleOf(draft)).toEqual(fields);
          const { steps, entities } = await conditions(draft, 'steps=true');
          expect(
            steps.filter((step: any) => step.is_visible).map((step: any) => step.step_number as number),
          ).toEqual(visibleSteps);
          expect(entities).toEqual([{ name: 'child', is_visible: false }]);
          // The moves skip the same steps.
          const { status, body } = await draft.client.post(`${draft.path}/advance?skip=hidden`);
          expect([status, body.data?.current_step]).toEqual(
            hiddenValues === 'keep' ? [200, 3] : [422, undefined],
          );
        }),
    );
  });
});
