import { Field, FieldType, Form, Step } from '../../src/entities.js';
import type { FieldPlan } from '../support/forms.js';
import { useService } from '../support/service.js';
import { Device, newPerson } from './support/person.js';

const use = useService();
const manager = () => use.database.dataSource.manager;

const STEPS: Record<string, FieldPlan>[] = [{ name: {}, age: {} }, { reason: {} }];

async function newReader(steps = STEPS) {
  const person = await newPerson(use, steps);
  const { form, fields } = person;
  const edit = (change: () => Promise<unknown>) => use.service.hearing(change);
  const idOf = (code: string) => fields[code]!.id;
  return {
    ...person,
    rename: (label: string) => edit(() => manager().update(Field, idOf('name'), { label })),
    retire: (code: string) =>
      edit(() => manager().update(Field, idOf(code), { retiredAt: new Date('2026-11-26T00:00:00Z') })),
    retype: (code: string, type: string) =>
      edit(async () => {
        const { id } = await manager().findOneByOrFail(FieldType, { name: type });
        await manager().update(Field, idOf(code), { fieldTypeId: id });
      }),
    insertStep: () =>
      edit(() =>
        manager().transaction(async (panel) => {
          await panel.query('update steps set step_number = step_number + 1 where form_id = $1', [form.id]);
          await panel.insert(Step, { formId: form.id, stepNumber: 1, title: 'New' });
        }),
      ),
    end: () => edit(() => manager().update(Form, form.id, { isActive: false })),
  };
}

describe('a draft whose form changes (N4)', () => {
  it('reads the schema again with the next write, and keeps what was typed', async () => {
    const person = await newReader();
    const window = await person.open();
    const { draft } = window;
    expect(window.shown.formChanged).toBeUndefined();
    await person.rename('Full name');
    draft.change('name', 'Ada');
    window.requests.length = 0;

    expect(await draft.save()).toBe('done');

    expect(window.requests).toEqual(['POST values', 'GET', `GET forms/${person.form.uuid}/schema`]);
    expect(window.shown.formChanged).toEqual({ removed: [], retyped: [] });
    expect(window.question('name')).toMatchObject({ value: 'Ada', field: { label: 'Full name' } });
    expect(await draft.next()).toBe('done');
    expect(window.shown.formChanged).toBeUndefined();
  });

  it('reads nothing more while the form stays as it is', async () => {
    const window = await (await newReader()).open();
    window.draft.change('name', 'Ada');
    window.requests.length = 0;
    expect(await window.draft.next()).toBe('done');
    expect(window.requests).toEqual(['POST values', 'POST advance']);
  });

  it.each([
    ['saved', async (draft: { save(): Promise<unknown> }) => draft.save()],
    ['not saved', () => Promise.resolve()],
  ])('shows once what was typed for a question that is gone, %s or not', async (_, before) => {
    const person = await newReader();
    const window = await person.open();
    const { draft } = window;
    draft.change('name', 'Ada');
    draft.change('age', 'a secret');
    await before(draft);
    await person.retire('age');
    draft.change('name', 'Ada L.');

    expect(await draft.save()).toBe('done');

    expect(window.shown.formChanged).toMatchObject({
      removed: [{ field: { code: 'age', label: 'age' }, value: 'a secret' }],
      retyped: [],
    });
    expect(window.keys).toEqual(['name']);
    expect(window.question('name')?.value).toBe('Ada L.');
    expect(await draft.next()).toBe('done');
    expect(window.shown.formChanged).toBeUndefined();
    expect((await person.stored(window)).answers['name']).toBe('Ada L.');
  });

  it('says that the type of an answered question has changed', async () => {
    const person = await newReader();
    const window = await person.open();
    window.draft.change('age', 'ten');
    await window.draft.save();
    await person.retype('age', 'number');
    await person.retype('reason', 'number');
    window.draft.change('name', 'Ada');
    await window.draft.save();
    expect(window.shown.formChanged).toEqual({ removed: [], retyped: ['age'] });
    expect(window.question('age')).toMatchObject({
      value: 'ten',
      field: { field_type: { component: 'number-input' } },
    });
    expect(await window.draft.next()).toBe('mistakes');
  });

  it('stays on its step when a step is added before it', async () => {
    const person = await newReader();
    const window = await person.open();
    await person.insertStep();
    window.draft.change('name', 'Ada');
    await window.draft.save();
    expect(window.keys).toEqual(['name', 'age']);
  });

  it('falls back to the step before the one that was deleted', async () => {
    const person = await newReader([{ a: {} }, { b: {} }, { c: {} }]);
    const window = await person.open();
    expect(await window.draft.goTo(3)).toBe('done');
    const [, second, third] = person.steps;
    await use.service.hearing(() => manager().delete(Step, [third!.id]));
    window.draft.change('a', 'typed');
    await window.draft.save();
    expect(window.shown).toMatchObject({
      step: { id: second!.id, position: 2 },
      formChanged: { removed: [] },
    });
    expect(window.keys).toEqual(['b']);
  });

  it('stops at a step that was added on the way', async () => {
    const person = await newReader([{ a: {} }, { b: {} }]);
    const window = await person.open();
    await use.service.hearing(() =>
      manager().transaction(async (panel) => {
        await panel.query(
          'update steps set step_number = step_number + 1 where form_id = $1 and step_number > 1',
          [person.form.id],
        );
        const { id: stepId } = await panel.save(
          panel.create(Step, { formId: person.form.id, stepNumber: 2, title: 'Added' }),
        );
        const { fieldTypeId } = person.fields['a']!;
        await panel.insert(Field, {
          formId: person.form.id,
          stepId,
          fieldTypeId,
          code: 'new',
          label: 'New',
          order: 1,
        });
      }),
    );
    expect(await window.draft.goTo(2)).toBe('done');
    expect(window.keys).toEqual(['new']);
    expect(window.shown.formChanged).toEqual({ removed: [], retyped: [] });
    expect(await window.draft.next()).toBe('done');
    expect(window.keys).toEqual(['b']);
  });

  it('asks for the required answers of its step when the steps are renumbered', async () => {
    const person = await newReader([{ a: {} }, { b: {} }, { c: { isRequired: true } }, { d: {} }]);
    const window = await person.open();
    expect(await window.draft.goTo(3)).toBe('done');
    await use.service.hearing(() => manager().delete(Step, [person.steps[0]!.id]));
    expect(await window.draft.next()).toBe('mistakes');
    expect(window.shown).toMatchObject({
      step: { id: person.steps[2]!.id },
      mistakes: [{ key: 'c', mistake: { code: 'required' } }],
    });
    window.draft.change('c', 'x');
    expect(await window.draft.next()).toBe('done');
    expect(window.keys).toEqual(['d']);
    expect(await window.draft.back()).toBe('done');
    expect(window.shown.step).toMatchObject({ id: person.steps[2]!.id, position: 2 });
  });

  it('validates the last step even if its number has changed', async () => {
    const person = await newReader([{ a: {} }, { b: {} }, { c: { isRequired: true } }]);
    const window = await person.open();
    expect(await window.draft.goTo(3)).toBe('done');
    await use.service.hearing(() =>
      manager().query('update steps set step_number = step_number + 10 where form_id = $1', [person.form.id]),
    );
    expect(await window.draft.next()).toBe('changed');
    expect(window.shown).toMatchObject({ step: { id: person.steps[2]!.id }, formChanged: { removed: [] } });
    expect(await window.draft.next()).toBe('mistakes');
  });

  it('is not completed before the user has seen the change', async () => {
    const person = await newReader();
    const window = await person.open();
    await person.rename('Full name');
    window.draft.change('name', 'Ada');
    expect(await window.draft.complete()).toBe('changed');
    expect(window.shown).toMatchObject({ status: 'open', formChanged: { removed: [] } });
    expect(await window.draft.complete()).toBe('done');
  });

  it('uploads files after the form got its first file question', async () => {
    const person = await newReader();
    const window = await person.open();
    await person.retype('age', 'file');
    window.draft.change('name', 'Ada');
    await window.draft.save();
    window.draft.upload('age', Object.assign(new Blob(['x']), { name: 'x.txt' }));
    expect(window.shown.isUploading).toBe(true);
  });

  it('shows the current form when it is opened later, without a notice', async () => {
    const person = await newReader();
    const storage = new Device();
    const first = await person.open({ storage });
    first.draft.change('name', 'Ada');
    first.close();
    await person.rename('Full name');
    const second = await person.open({ storage });
    expect(second.shown.formChanged).toBeUndefined();
    expect(second.question('name')).toMatchObject({ value: 'Ada', field: { label: 'Full name' } });
  });

  it('goes on when the form accepts no new submissions', async () => {
    const person = await newReader();
    const window = await person.open();
    await person.end();
    window.draft.change('name', 'Ada');
    expect(await window.draft.next()).toBe('done');
    expect(window.shown.form.is_active).toBe(false);
  });
});
