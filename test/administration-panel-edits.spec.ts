import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type EntityManager, type EntityTarget, type ObjectLiteral, QueryFailedError } from 'typeorm';
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
  const shown = await schemaAt();
  const verdicts: string[] = [];

  return {
    ...{ ...draft, done, stored: () => storedIn(submission) },
    ids: Object.fromEntries(Object.entries(fields).map(([code, { id }]) => [code, id])),
    stepIds: steps.map(({ id }) => id),
    /** Changes the form and waits for the new version. Stored values and the completed submission must stay. */
    edit: async (work: (manager: EntityManager) => Promise<unknown>) => {
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
    /** Completes the draft. Returns the field errors, or undefined. */
    mistakes: async () => (await client.patch(submission, { status: 'completed' })).body.errors,
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
  <T extends ObjectLiteral>(entity: EntityTarget<T>, id: number | undefined, columns: Partial<T>) =>
  (manager: EntityManager) =>
    manager.update(entity, id!, columns);
const typeNamed = async (name: string) => (await managerOf().findOneByOrFail(FieldType, { name })).id;

/** A test for each row. It returns what it opened. */
const TESTS: Readonly<Record<string, () => Promise<Opened>>> = {
  'rename a `code`': async () => {
    const form = await open();
    await form.edit(update(Field, form.ids['a'], { code: 'new' }));
    expect((await form.store('a', 'y')).body.errors).toEqual(UNKNOWN);
    for (const { path } of [form, form.done]) {
      const { body } = await form.client.get(path);
      expect(body.data.values).toContainEqual(expect.objectContaining({ field_code: 'new', value: 'x' }));
    }
    expect((await form.store('new', 'y')).status).toBe(200);
    return form;
  },
  'change a label, placeholder, description or default value': async () => {
    const form = await open();
    await form.edit(update(Field, form.ids['b'], { label: 'B', placeholder: 'p', defaultValue: 'z' }));
    expect(await form.stored()).toHaveLength(2);
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'reorder fields, or move one to another step': async () => {
    const form = await open();
    await form.edit(update(Field, form.ids['b'], { stepId: form.stepIds[1]!, order: 9 }));
    await form.edit(update(Field, form.ids['a'], { order: 8 }));
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'add an optional field': async () => {
    const form = await open();
    await form.edit(field(form, 'd'));
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'add a required field': async () => {
    const form = await open();
    await form.go('advance');
    await form.edit(field(form, 'd', true));
    expect(await form.mistakes()).toEqual({ d: ['The d is required.'] });
    return form;
  },
  'retire a field': async () => {
    const form = await open();
    await form.edit(update(Field, form.ids['a'], { retiredAt: new Date() }));
    expect((await form.store('a', 'y')).body.errors).toEqual(UNKNOWN);
    // The condition on the retired field is never met, so it no longer requires this one.
    await form.store('c', '');
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'use a retired optional field again': async () => {
    const form = await open({ steps: [{ a: {}, b: {} }] });
    await managerOf().update(Field, form.ids['a']!, { retiredAt: new Date() });
    await form.edit(update(Field, form.ids['a'], { retiredAt: null }));
    expect(await form.stored()).toContainEqual([form.ids['a'], 'x']);
    expect((await form.store('a', 'y')).status).toBe(200);
    return form;
  },
  'use a retired required field again': async () => {
    const form = await open({
      steps: [{ a: {}, b: { isRequired: true, retiredAt: new Date() } }],
    });
    await form.edit(update(Field, form.ids['b'], { retiredAt: null }));
    expect(await form.mistakes()).toEqual({ b: ['The b is required.'] });
    return form;
  },
  'delete a field without values': async () => {
    const form = await open();
    await form.edit((manager) => manager.delete(Field, form.ids['b']!));
    expect((await form.store('b', 'z')).body.errors).toEqual(UNKNOWN);
    return form;
  },
  'delete a field that has values, or that conditions test': async () => {
    const form = await open();
    await form.rejected((manager) => manager.delete(Field, form.ids['c']!));
    const tested = await open({
      steps: [{ a: {}, b: {}, d: { conditions: [['b', 'equals', 'x', 'show']] } }],
    });
    await tested.rejected((manager) => manager.delete(Field, tested.ids['b']!));
    return form;
  },
  'change the type of a field': async () => {
    const form = await open();
    await form.edit(update(Field, form.ids['c'], { fieldTypeId: await typeNamed('number') }));
    expect(await form.mistakes()).toMatchObject({ c: [expect.stringContaining('must be')] });
    await form.edit(update(Field, form.ids['c'], { fieldTypeId: await typeNamed('heading') }));
    expect((await form.store('c', 'more')).status).toBe(422);
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'change `is_repeatable` of a field without values': async () => {
    const form = await open();
    await form.edit(update(Field, form.ids['b'], { isRepeatable: true }));
    return form;
  },
  'change `is_repeatable` of a field with values': async () => {
    const form = await open();
    await form.rejected(update(Field, form.ids['a'], { isRepeatable: true }));
    return form;
  },
  'make a field required': async () => {
    const form = await open();
    await form.edit(update(Field, form.ids['b'], { isRequired: true }));
    expect(await form.mistakes()).toEqual({ b: ['The b is required.'] });
    return form;
  },
  'make a field optional': async () => {
    const form = await open({ steps: [{ a: { isRequired: true } }] });
    await form.edit(update(Field, form.ids['a'], { isRequired: false }));
    await form.store('a', '');
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'add an option': async () => {
    const form = await open();
    await form.edit(add(Option, { fieldId: form.ids['a']!, label: 'New', value: 'new' }));
    await form.store('a', 'new');
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'change the label of an option': async () => {
    const form = await open();
    await form.edit((manager) =>
      manager.update(Option, { fieldId: form.ids['a']!, value: 'x' }, { label: 'New' }),
    );
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'delete an option, or change its value': async () => {
    const form = await open();
    await form.edit((manager) =>
      manager.update(Option, { fieldId: form.ids['a']!, value: 'x' }, { value: 'z' }),
    );
    expect(await form.mistakes()).toMatchObject({ a: [expect.stringContaining('must be')] });
    await form.edit((manager) => manager.delete(Option, { fieldId: form.ids['a']!, value: 'z' }));
    expect(await form.mistakes()).toMatchObject({ a: [expect.stringContaining('must be')] });
    return form;
  },
  'add or tighten a rule': async () => {
    const form = await open();
    await form.store('b', '12345');
    await form.edit((manager) => manager.update(FieldRule, { fieldId: form.ids['b']! }, { value: '4' }));
    expect(await form.mistakes()).toEqual({ b: [expect.any(String)] });
    await form.edit(add(FieldRule, { fieldId: form.ids['c']!, kind: 'min_length', value: '2' }));
    expect(await form.mistakes()).toEqual({ b: [expect.any(String)], c: [expect.any(String)] });
    return form;
  },
  'relax or delete a rule': async () => {
    const form = await open();
    await form.edit((manager) => manager.update(FieldRule, { fieldId: form.ids['b']! }, { value: '6' }));
    await form.store('b', '123456');
    await form.edit((manager) => manager.delete(FieldRule, { fieldId: form.ids['b']! }));
    await form.store('b', '1234567');
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'add a condition that can hide a required field': async () => {
    const form = await open();
    await form.store('c', '');
    expect(await form.mistakes()).toEqual({ c: ['The c is required.'] });
    await form.edit(hide(form, { fieldId: form.ids['c']! }));
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'add a condition that can hide an optional field': async () => {
    const form = await open();
    await form.edit(hide(form, { fieldId: form.ids['b']! }));
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'delete a condition that requires a field': async () => {
    const form = await open();
    await form.store('c', '');
    await form.edit((manager) => manager.delete(Condition, { fieldId: form.ids['c']! }));
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'hide a step or an entity with required fields by a condition': async () => {
    const form = await open();
    await form.go('advance');
    await form.edit(hide(form, { stepId: form.stepIds[1]! }));
    expect(await form.step()).toBe(2);
    expect((await form.go('retreat?skip=hidden')).body.data).toMatchObject({
      ...{ current_step: 1, is_last_step: true, progress_percentage: 100 },
    });
    expect((await form.go('advance?skip=hidden')).body.message).toBe('Already on the last step.');
    expect((await form.go('advance')).body.data.current_step).toBe(2);

    const other = await open();
    const { id } = await managerOf().findOneByOrFail(EntityDefinition, { formId: other.form.id });
    await managerOf().update(Field, other.ids['amount']!, { isRequired: true });
    await other.edit(hide(other, { entityId: id }));
    expect(other.verdicts).toEqual(form.verdicts);
    return form;
  },
  'clear `is_visible` of a step with required fields': async () => {
    const form = await open();
    await form.store('c', '');
    await form.edit(update(Step, form.stepIds[1], { isVisible: false }));
    expect((await form.go('advance?skip=hidden')).body.message).toBe('Already on the last step.');
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'set `is_visible` of a step with required fields': async () => {
    const form = await open();
    await form.store('c', '');
    await update(Step, form.stepIds[1], { isVisible: false })(managerOf());
    await form.edit(update(Step, form.stepIds[1], { isVisible: true }));
    expect(await form.mistakes()).toEqual({ c: ['The c is required.'] });
    return form;
  },
  'set `completion` to strict': async () => {
    const form = await open({ ...PLAN, form: { completion: 'lenient' } });
    await form.store('c', '');
    await form.edit(update(Form, form.form.id, { completion: 'strict' }));
    expect(await form.mistakes()).toEqual({ c: ['The c is required.'] });
    return form;
  },
  'set `completion` to lenient': async () => {
    const form = await open();
    await form.store('c', '');
    await form.edit(update(Form, form.form.id, { completion: 'lenient' }));
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'set `time_zone` while rules use `today`': async () => {
    const form = await open({ steps: [{ day: { type: 'date', rules: { min_date: 'today' } } }] });
    const before = await createDraft(form.client, form);
    // It is still this day in the zone 12 hours after UTC, and never in Kiritimati, which is 26 hours ahead of that zone.
    const day = new Date(Date.now() - 12 * 60 * 60 * 1000).toISOString().slice(0, 10);
    for (const { path } of [before, form]) await form.store('day', day, path);
    expect((await form.client.patch(before.path, { status: 'completed' })).status).toBe(200);
    await form.edit(update(Form, form.form.id, { timeZone: 'Pacific/Kiritimati' }));
    expect(await form.mistakes()).toHaveProperty('day');
    return form;
  },
  'reorder steps': async () => {
    const form = await open();
    await form.go('advance');
    await form.edit((manager) =>
      manager.query('update steps set step_number = 3 - step_number where form_id = $1', [form.form.id]),
    );
    expect(await form.step()).toBe(1);
    return form;
  },
  'add a step': async () => {
    const form = await open();
    await managerOf().update(Step, form.stepIds[1]!, { stepNumber: 3 });
    await form.go('advance');
    await form.edit(add(Step, { formId: form.form.id, stepNumber: 2, title: 'Second' }));
    expect(await form.step()).toBe(3);
    expect((await form.go('retreat')).body.data).toMatchObject({ current_step: 2, progress_percentage: 67 });
    return form;
  },
  'delete a step without values': async () => {
    const form = await open({ steps: [{ a: {} }, { b: {} }, { c: {} }] });
    const first = await createDraft(form.client, form);
    const onFirst = async () => (await form.client.get(first.path)).body.data.current_step;
    await form.go('advance');
    await form.edit((manager) => manager.delete(Step, form.stepIds[1]!));
    expect(await form.step()).toBe(1);
    expect((await form.go('advance')).body.data).toMatchObject({ current_step: 2, is_last_step: true });
    const other = await open({ steps: [{}, { b: {} }, { c: {} }] });
    await other.edit((manager) => manager.delete(Step, other.stepIds[0]!));
    expect([await other.step(), await onFirst()]).toEqual([1, 1]);
    expect(other.verdicts).toEqual(form.verdicts);
    return form;
  },
  'delete a step with values': async () => {
    const form = await open();
    await form.rejected((manager) => manager.delete(Step, form.stepIds[0]!));
    return form;
  },
  'delete an entity without records': async () => {
    const form = await open({
      ...PLAN,
      entities: [...ENTITIES, { name: 'trip', isRepeatable: true }],
    });
    await form.edit((manager) => manager.delete(EntityDefinition, { formId: form.form.id, name: 'trip' }));
    const { body } = await form.client.post(`${form.path}/records`, { entity: 'trip' });
    expect(body.errors).toHaveProperty('entity');
    return form;
  },
  'delete an entity with records': async () => {
    const form = await open({ ...PLAN, entities: [{ name: 'trip', isRepeatable: true }] });
    expect((await form.client.post(`${form.path}/records`, { entity: 'trip' })).status).toBe(201);
    await form.rejected((manager) => manager.delete(EntityDefinition, { formId: form.form.id }));
    return form;
  },
  'raise `min_records`, or lower `max_records`': async () => {
    const form = await open();
    await form.edit((manager) =>
      manager.update(EntityDefinition, { formId: form.form.id }, { minRecords: 1 }),
    );
    expect(await form.mistakes()).toHaveProperty('expense');
    for (let number = 1; number <= 2; number += 1)
      await form.client.post(`${form.path}/records`, { entity: 'expense' });
    await form.edit((manager) =>
      manager.update(EntityDefinition, { formId: form.form.id }, { maxRecords: 1 }),
    );
    expect((await form.client.post(`${form.path}/records`, { entity: 'expense' })).status).toBe(422);
    return form;
  },
  'deactivate the form': async () => {
    const form = await open();
    await form.edit(update(Form, form.form.id, { isActive: false }));
    const { status } = await form.client.post('/api/v1/submissions', { form_uuid: form.form.uuid });
    expect(status).toBe(422);
    expect(await form.mistakes()).toBeUndefined();
    return form;
  },
  'delete a form with submissions': async () => {
    const form = await open();
    await form.rejected((manager) => manager.delete(Form, form.form.id));
    return form;
  },
};

describe(`${PAGE}: the table of edits`, () => {
  it('has a test for each row, and no other', () => {
    expect(rowsOfPage().map(([edit]) => edit)).toEqual(Object.keys(TESTS));
  });

  it.each(rowsOfPage())('%s (%s)', async (edit, verdict) => {
    const { verdicts } = (await TESTS[edit]?.()) ?? { verdicts: [] };
    expect([...new Set(verdicts)]).toEqual([verdict]);
  });
});
