import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type EntityManager,
  type FindOptionsWhere,
  type EntityTarget,
  type ObjectLiteral,
  QueryFailedError,
} from 'typeorm';
import {
  Condition,
  EntityDefinition,
  Field,
  FieldRule,
  FieldType,
  Form,
  Option,
  Step,
} from '../src/entities.js';
import { isBreaking } from '../src/forms/definitions/compare-forms.js';
import { compareSchemas } from '../src/forms/definitions/kept-versions.js';
import { createDraft, newDraftOf } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import type { EntityPlan, FormPlan } from './support/forms.js';
import { useService } from './support/service.js';

const PAGE = 'docs/administration-panel.md';

const use = useService({ COMPLETION_POLICY: 'strict' });
const managerOf = () => use.database.dataSource.manager;

/** Returns the edits of the page's table, and what `forms diff` calls each of them. */
function rowsOfPage(): (readonly [edit: string, verdict: string])[] {
  const [, section = ''] = readFileSync(path.resolve(__dirname, '..', PAGE), 'utf8').split(
    '## What each edit means\n',
  );
  const [table = ''] = /(^\|.*\n)+/m.exec(section.split('\n## ')[0] ?? '') ?? [];
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      return [cells[1] ?? '', cells[5] ?? ''] as const;
    });
}

const ENTITIES: readonly EntityPlan[] = [{ name: 'expense', isRepeatable: true, of: ['amount'] }];
const PLAN: FormPlan = {
  steps: [
    { a: { type: 'select', options: ['x', 'y'] }, b: { rules: { max_length: '5' } }, other: {} },
    { c: { conditions: [['a', 'equals', 'x', 'require']] }, amount: { isRepeatable: true } },
  ],
  entities: ENTITIES,
};

const NO_ERRORS = {};

/** Opens a draft with values of `a` and `c`, and completes a submission with the same values. */
async function open(plan: FormPlan = PLAN) {
  const draft = await newDraftOf(use, plan);
  const { client, form, fields, steps, path: submission } = draft;
  const values = Object.entries({ a: 'x', c: 'z' })
    .filter(([code]) => code in fields)
    .map(([field_code, value]) => ({ field_code, value }));
  const done = await createDraft(client, draft);
  for (const one of [submission, done.path])
    expect((await client.post(`${one}/values`, { values })).status).toBe(200);
  expect((await client.patch(done.path, { status: 'completed' })).status).toBe(200);

  const schemaAt = async (query = '') =>
    (await client.get(`/api/v1/forms/${form.uuid}/schema${query}`)).body.data;
  const storedIn = async (one: string) =>
    (await client.get(one)).body.data.values.map(({ field_id, value }: any) => [field_id, value]);
  /** Waits until the service has been notified of all changes. */
  const current = () =>
    eventually('the service has the current version', async () => {
      const { version } = await managerOf().findOneByOrFail(Form, { id: form.id });
      const schema = await schemaAt();
      return schema.version === version && schema;
    });
  /** Completes the draft. Returns the field errors. */
  const mistakes = async () =>
    (await client.patch(submission, { status: 'completed' })).body.errors ?? NO_ERRORS;
  const shown = await schemaAt();
  const verdicts: string[] = [];

  return {
    ...{ ...draft, done, stored: () => storedIn(submission) },
    ids: Object.fromEntries(Object.entries(fields).map(([code, { id }]) => [code, id])),
    stepIds: steps.map(({ id }) => id),
    /**
     * Changes the form and waits for the new version. Stored values and the completed submission must stay. Then completes the
     * draft, if the field errors of the completion are given.
     */
    edit: async (work: (manager: EntityManager) => Promise<unknown>, errors?: object) => {
      const before = await current();
      const held = [await storedIn(submission), await storedIn(done.path)];
      await work(managerOf());
      await current();
      expect([await storedIn(submission), await storedIn(done.path)]).toEqual(held);
      const { body } = await client.get(done.path);
      expect(body.data).toMatchObject({ status: 'completed', completed_version: shown.version });
      expect(await schemaAt(`?version=${shown.version}`)).toEqual(shown);
      const changes = compareSchemas(before, await schemaAt());
      expect(changes).not.toEqual([]);
      verdicts.push(changes.some(isBreaking) ? 'breaking' : 'compatible');
      if (errors !== undefined) expect(await mistakes()).toEqual(errors);
    },
    /** Checks that the database rejects the edit. */
    rejected: async (work: (manager: EntityManager) => Promise<unknown>) => {
      await expect(managerOf().transaction(work)).rejects.toThrow(QueryFailedError);
      expect(await schemaAt()).toEqual(shown);
      verdicts.push('—');
    },
    verdicts,
    store: (field_code: string, value: string, one = submission) =>
      client.post(`${one}/values`, { values: [{ field_code, value }] }),
    step: async () => (await client.get(submission)).body.data.current_step as number,
    go: (way: string) => client.post(`${submission}/${way}`),
    mistakes,
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

const UNKNOWN = { 'values.0.field_code': [expect.any(String)] };
const add =
  <T extends ObjectLiteral>(entity: EntityTarget<T>, columns: Partial<T>) =>
  (manager: EntityManager) =>
    manager.save(manager.create(entity, columns as any));
const field = ({ form, stepIds }: Opened, code: string, isRequired = false) =>
  add(Field, { formId: form.id, stepId: stepIds[0]!, fieldTypeId: 1, code, label: code, isRequired });
const hide = ({ ids }: Opened, owner: Partial<Condition>) =>
  add(Condition, { ...owner, dependsOnFieldId: ids['a']!, operator: 'equals', value: 'x', action: 'hide' });
const update =
  <T extends ObjectLiteral>(
    entity: EntityTarget<T>,
    of: number | FindOptionsWhere<T> | undefined,
    columns: Partial<T>,
  ) =>
  (manager: EntityManager) =>
    manager.update(entity, of!, columns);
const typeNamed = async (name: string) => (await managerOf().findOneByOrFail(FieldType, { name })).id;

const required = (code: string) => ({ [code]: [`The ${code} is required.`] });
const ofForm = ({ form }: Opened) => ({ formId: form.id });
const ofField = ({ ids }: Opened, code: string) => ({ fieldId: ids[code]! });

/** The form before the edit, if it is another than usual. */
const PLANS: Readonly<Record<string, FormPlan>> = {
  'use a retired optional field again': { steps: [{ a: {}, d: { retiredAt: new Date() } }] },
  'use a retired required field again': {
    steps: [{ b: { isRequired: true, retiredAt: new Date() } }],
  },
  'delete a field that has values, or that conditions test': {
    steps: [{ a: {}, b: {}, d: { conditions: [['b', 'equals', 'x', 'show']] } }],
  },
  'make a field optional': { steps: [{ a: { isRequired: true } }] },
  'set `completion` to strict': { ...PLAN, form: { completion: 'lenient' } },
  'set `time_zone` while rules use `today`': {
    steps: [{ day: { type: 'date', rules: { min_date: 'today' } } }],
  },
  'delete a step without values': { steps: [{ a: {} }, { b: {} }, { c: {} }] },
  'delete an entity without records': {
    ...PLAN,
    entities: [...ENTITIES, { name: 'trip', isRepeatable: true }],
  },
  'delete an entity with records': { ...PLAN, entities: [{ name: 'trip', isRepeatable: true }] },
};

/** A test for each row. Other specs have the effects on submissions; here are those on a completion. */
const TESTS: Readonly<Record<string, (form: Opened) => Promise<unknown>>> = {
  'rename a `code`': async (form) => {
    await form.edit(update(Field, form.ids['a'], { code: 'new' }));
    expect((await form.store('a', 'y')).body.errors).toEqual(UNKNOWN);
    expect((await form.store('new', 'y')).status).toBe(200);
  },
  'change a label, placeholder, description or default value': (form) =>
    form.edit(update(Field, form.ids['b'], { label: 'B', placeholder: 'p', defaultValue: 'z' }), NO_ERRORS),
  'reorder fields, or move one to another step': async (form) => {
    await form.edit(update(Field, form.ids['b'], { stepId: form.stepIds[1]!, order: 9 }));
    await form.edit(update(Field, form.ids['a'], { order: 8 }), NO_ERRORS);
  },
  'add an optional field': (form) => form.edit(field(form, 'd'), NO_ERRORS),
  'add a required field': (form) => form.edit(field(form, 'd', true), required('d')),
  'retire a field': async (form) => {
    // The condition on the retired field is never met, so it no longer requires this one.
    await form.store('c', '');
    await form.edit(update(Field, form.ids['a'], { retiredAt: new Date() }), NO_ERRORS);
    expect((await form.store('a', 'y')).body.errors).toEqual(UNKNOWN);
  },
  'use a retired optional field again': async (form) => {
    await form.edit(update(Field, form.ids['d'], { retiredAt: null }));
    expect((await form.store('d', 'y')).status).toBe(200);
  },
  'use a retired required field again': (form) =>
    form.edit(update(Field, form.ids['b'], { retiredAt: null }), required('b')),
  'delete a field without values': async (form) => {
    await form.edit((manager) => manager.delete(Field, form.ids['b']!));
    expect((await form.store('b', 'z')).body.errors).toEqual(UNKNOWN);
  },
  'delete a field that has values, or that conditions test': async (form) => {
    for (const code of ['a', 'b']) await form.rejected((manager) => manager.delete(Field, form.ids[code]!));
  },
  'change the type of a field': async (form) => {
    const mustBe = { c: [expect.stringContaining('must be')] };
    await form.edit(update(Field, form.ids['c'], { fieldTypeId: await typeNamed('number') }), mustBe);
    await form.edit(update(Field, form.ids['c'], { fieldTypeId: await typeNamed('heading') }), NO_ERRORS);
  },
  'change `is_repeatable` of a field without values': (form) =>
    form.edit(update(Field, form.ids['b'], { isRepeatable: true })),
  'change `is_repeatable` of a field with values': (form) =>
    form.rejected(update(Field, form.ids['a'], { isRepeatable: true })),
  'make a field required': (form) =>
    form.edit(update(Field, form.ids['b'], { isRequired: true }), required('b')),
  'make a field optional': async (form) => {
    await form.store('a', '');
    await form.edit(update(Field, form.ids['a'], { isRequired: false }), NO_ERRORS);
  },
  'add an option': (form) =>
    form.edit(add(Option, { ...ofField(form, 'a'), label: 'New', value: 'new' }), NO_ERRORS),
  'change the label of an option': (form) =>
    form.edit(update(Option, { value: 'x', ...ofField(form, 'a') }, { label: 'New' }), NO_ERRORS),
  'delete an option, or change its value': async (form) => {
    const option = (value: string) => ({ value, ...ofField(form, 'a') });
    const mustBe = { a: [expect.stringContaining('must be')] };
    await form.edit(update(Option, option('x'), { value: 'z' }), mustBe);
    await form.edit((manager) => manager.delete(Option, option('z')), mustBe);
  },
  'add or tighten a rule': async (form) => {
    await form.store('b', '12345');
    const errors = { b: [expect.any(String)] };
    await form.edit(update(FieldRule, ofField(form, 'b'), { value: '4' }), errors);
    const rule = { ...ofField(form, 'c'), kind: 'min_length', value: '2' } as const;
    await form.edit(add(FieldRule, rule), { ...errors, c: [expect.any(String)] });
  },
  'relax or delete a rule': async (form) => {
    await form.edit(update(FieldRule, ofField(form, 'b'), { value: '6' }));
    await form.store('b', '1234567');
    await form.edit((manager) => manager.delete(FieldRule, ofField(form, 'b')), NO_ERRORS);
  },
  'add a condition that can hide a required field': async (form) => {
    await form.store('c', '');
    await form.edit(hide(form, ofField(form, 'c')), NO_ERRORS);
  },
  'add a condition that can hide an optional field': (form) =>
    form.edit(hide(form, ofField(form, 'b')), NO_ERRORS),
  'delete a condition that requires a field': async (form) => {
    await form.store('c', '');
    await form.edit((manager) => manager.delete(Condition, ofField(form, 'c')), NO_ERRORS);
  },
  'hide a step or an entity with required fields by a condition': async (form) => {
    await form.edit(hide(form, { stepId: form.stepIds[1]! }));
    const { id } = await managerOf().findOneByOrFail(EntityDefinition, ofForm(form));
    await managerOf().update(Field, form.ids['amount']!, { isRequired: true });
    await managerOf().delete(Condition, { stepId: form.stepIds[1]! });
    await form.edit(hide(form, { entityId: id }));
  },
  'clear `is_visible` of a step with required fields': async (form) => {
    await form.store('c', '');
    await form.edit(update(Step, form.stepIds[1], { isVisible: false }), NO_ERRORS);
  },
  'set `is_visible` of a step with required fields': async (form) => {
    await form.store('c', '');
    await managerOf().update(Step, form.stepIds[1]!, { isVisible: false });
    await form.edit(update(Step, form.stepIds[1], { isVisible: true }), required('c'));
  },
  'set `completion` to strict': async (form) => {
    await form.store('c', '');
    await form.edit(update(Form, form.form.id, { completion: 'strict' }), required('c'));
  },
  'set `completion` to lenient': async (form) => {
    await form.store('c', '');
    await form.edit(update(Form, form.form.id, { completion: 'lenient' }), NO_ERRORS);
  },
  'set `time_zone` while rules use `today`': async (form) => {
    // It is still this day in the zone 12 hours after UTC, and never in Kiritimati, which is 26 hours ahead of that zone.
    await form.store('day', new Date(Date.now() - 12 * 60 * 60 * 1000).toISOString().slice(0, 10));
    await form.edit(update(Form, form.form.id, { timeZone: 'Pacific/Kiritimati' }), {
      day: [expect.any(String)],
    });
  },
  'reorder steps': async (form) => {
    await form.go('advance');
    const sql = 'update steps set step_number = 3 - step_number where form_id = $1';
    await form.edit((manager) => manager.query(sql, [form.form.id]));
    expect(await form.step()).toBe(1);
  },
  'add a step': (form) => form.edit(add(Step, { ...ofForm(form), stepNumber: 3, title: 'Third' }), NO_ERRORS),
  'delete a step without values': async (form) => {
    await form.go('advance');
    await form.edit((manager) => manager.delete(Step, form.stepIds[1]!));
    expect(await form.step()).toBe(1);
  },
  'delete a step with values': (form) => form.rejected((manager) => manager.delete(Step, form.stepIds[0]!)),
  'delete an entity without records': (form) =>
    form.edit((manager) => manager.delete(EntityDefinition, { ...ofForm(form), name: 'trip' })),
  'delete an entity with records': async (form) => {
    expect((await form.client.post(`${form.path}/records`, { entity: 'trip' })).status).toBe(201);
    await form.rejected((manager) => manager.delete(EntityDefinition, ofForm(form)));
  },
  'raise `min_records`, or lower `max_records`': async (form) => {
    const addRecord = () => form.client.post(`${form.path}/records`, { entity: 'expense' });
    await form.edit(update(EntityDefinition, ofForm(form), { minRecords: 1 }), {
      expense: [expect.any(String)],
    });
    await addRecord();
    await form.edit(update(EntityDefinition, ofForm(form), { maxRecords: 1 }));
    expect((await addRecord()).status).toBe(422);
  },
  'deactivate the form': (form) => form.edit(update(Form, form.form.id, { isActive: false }), NO_ERRORS),
  'delete a form with submissions': (form) => form.rejected((manager) => manager.delete(Form, form.form.id)),
};

describe(`${PAGE}: the table of edits`, () => {
  it('has a test for each row, and no other', () => {
    expect(rowsOfPage().map(([edit]) => edit)).toEqual(Object.keys(TESTS));
  });

  it.each(rowsOfPage())('%s (%s)', async (edit, verdict) => {
    const form = await open(PLANS[edit]);
    await TESTS[edit]!(form);
    expect([...new Set(form.verdicts)]).toEqual([verdict]);
  });
});
