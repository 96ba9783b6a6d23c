import { Field, FieldType, Form, Step } from '../../src/entities.js';
import type { FieldPlan } from '../support/forms.js';
import { useService } from '../support/service.js';
import { newPerson } from './support/person.js';

const use = useService();

const STEPS: Record<string, FieldPlan>[] = [{ name: {}, age: {} }, { reason: {} }];
const UNCHANGED = { added: [], removed: [], retyped: [] };

/** Creates a form and opens it. The functions change the form, and wait until the service knows the change. */
async function openForm(steps = STEPS) {
  const { manager } = use.database.dataSource;
  const person = await newPerson(use, steps);
  const { form, fields } = person;
  const window = await person.open();
  const edit = (change: () => Promise<unknown>) => use.service.hearing(change);
  const update = (code: string, change: { label?: string; retiredAt?: Date; fieldTypeId?: number }) =>
    edit(() => manager.update(Field, fields[code]!.id, change));
  return {
    ...{ person, window, draft: window.draft },
    rename: (label: string) => update('name', { label }),
    retire: (code: string) => update(code, { retiredAt: new Date('2026-11-26T00:00:00Z') }),
    retype: async (code: string, name: string) =>
      update(code, { fieldTypeId: (await manager.findOneByOrFail(FieldType, { name })).id }),
    /** Inserts a step with a field `new` before the step with this number. */
    insertStep: (stepNumber: number) =>
      edit(() =>
        manager.transaction(async (panel) => {
          const later =
            'update steps set step_number = step_number + 1 where form_id = $1 and step_number >= $2';
          await panel.query(later, [form.id, stepNumber]);
          const step = await panel.save(panel.create(Step, { formId: form.id, stepNumber, title: 'New' }));
          const { fieldTypeId, formId } = Object.values(fields)[0]!;
          await panel.insert(Field, {
            formId,
            stepId: step.id,
            fieldTypeId,
            code: 'new',
            label: 'New',
            order: 1,
          });
        }),
      ),
    deleteStep: (number: number) => edit(() => manager.delete(Step, person.steps[number - 1]!.id)),
    renumber: () =>
      edit(() =>
        manager.query('update steps set step_number = step_number + 10 where form_id = $1', [form.id]),
      ),
    end: () => edit(() => manager.update(Form, form.id, { isActive: false })),
  };
}

describe('a draft whose form changes (N4)', () => {
  it('reads the schema again with the next write, and keeps what was typed', async () => {
    const { person, window, draft, rename, end } = await openForm();
    expect(window.shown.formChanged).toBeUndefined();
    window.requests.length = 0;
    draft.change('name', 'A');
    await draft.save();
    expect(window.requests).toEqual(['POST values']);

    await rename('Full name');
    // The form accepts no new submissions, but the user goes on.
    await end();
    draft.change('name', 'Ada');
    window.requests.length = 0;
    expect(await draft.save()).toBe('done');
    expect(window.requests).toEqual(['POST values', 'GET', `GET forms/${person.form.uuid}/schema`]);
    expect(window.shown).toMatchObject({ formChanged: UNCHANGED, form: { is_active: false } });
    expect(window.question('name')).toMatchObject({ value: 'Ada', field: { label: 'Full name' } });
    expect(await draft.next()).toBe('done');
    expect(window.shown.formChanged).toBeUndefined();
  });

  it.each([true, false])(
    'shows once what was typed for a question that is gone, saved or not: %s',
    async (isSaved) => {
      const { person, window, draft, retire } = await openForm();
      draft.change('name', 'Ada');
      draft.change('age', 'a secret');
      if (isSaved) await draft.save();
      await retire('age');
      draft.change('name', 'Ada L.');
      expect(await draft.save()).toBe('done');
      const removed = [{ field: { code: 'age', label: 'age' }, value: 'a secret' }];
      expect(window.shown.formChanged).toMatchObject({ removed, retyped: [] });
      expect(window.keys).toEqual(['name']);
      expect(window.question('name')?.value).toBe('Ada L.');
      expect(await draft.next()).toBe('done');
      expect(window.shown.formChanged).toBeUndefined();
      expect((await person.stored(window)).answers['name']).toBe('Ada L.');
    },
  );

  it('says that the type of an answered question has changed', async () => {
    const { window, draft, retype } = await openForm();
    draft.change('age', 'ten');
    await draft.save();
    await retype('age', 'number');
    await retype('reason', 'number');
    draft.change('name', 'Ada');
    await draft.save();
    expect(window.shown.formChanged).toEqual({ ...UNCHANGED, retyped: ['age'] });
    const field = { field_type: { component: 'number-input' } };
    expect(window.question('age')).toMatchObject({ value: 'ten', field });
    expect(await draft.next()).toBe('mistakes');
    // The first question that asks for files.
    await retype('age', 'file');
    draft.change('name', 'Eve');
    await draft.save();
    draft.upload('age', Object.assign(new Blob(['x']), { name: 'x.txt' }));
    expect(window.shown.isUploading).toBe(true);
  });

  it('stays on its step when a step is added before it, and names the new question', async () => {
    const { window, draft, insertStep } = await openForm();
    await insertStep(1);
    draft.change('name', 'Ada');
    await draft.save();
    expect(window.keys).toEqual(['name', 'age']);
    expect(window.shown.formChanged).toMatchObject({ added: [{ label: 'New' }] });
  });

  it('falls back to the step before the one that was deleted', async () => {
    const { person, window, draft, deleteStep } = await openForm([{ a: {} }, { b: {} }, { c: {} }]);
    expect(await draft.goTo(3)).toBe('done');
    await deleteStep(3);
    draft.change('a', 'typed');
    await draft.save();
    const step = { id: person.steps[1]!.id, position: 2 };
    expect(window.shown).toMatchObject({ step, formChanged: { removed: [] } });
    expect(window.keys).toEqual(['b']);
  });

  it('stops at a step that was added on the way', async () => {
    const { window, draft, insertStep } = await openForm([{ a: {} }, { b: {} }]);
    await insertStep(2);
    expect(await draft.goTo(2)).toBe('done');
    expect(window.keys).toEqual(['new']);
    expect(window.shown.formChanged).toMatchObject({ added: [{ code: 'new' }], removed: [], retyped: [] });
    expect(await draft.next()).toBe('done');
    expect(window.keys).toEqual(['b']);
  });

  it('asks for the required answers of its step when the steps are renumbered', async () => {
    const steps: typeof STEPS = [{ a: {} }, { b: {} }, { c: { isRequired: true } }, { d: {} }];
    const { person, window, draft, deleteStep } = await openForm(steps);
    const { id } = person.steps[2]!;
    expect(await draft.goTo(3)).toBe('done');
    await deleteStep(1);
    expect(await draft.next()).toBe('mistakes');
    const mistakes = [{ key: 'c', mistake: { code: 'required' } }];
    expect(window.shown).toMatchObject({ step: { id }, mistakes });
    draft.change('c', 'x');
    expect(await draft.next()).toBe('done');
    expect(window.keys).toEqual(['d']);
    expect(await draft.back()).toBe('done');
    expect(window.shown.step).toMatchObject({ id, position: 2 });
  });

  it('validates the last step even if its number has changed', async () => {
    const { person, window, draft, renumber } = await openForm([{ a: {} }, { c: { isRequired: true } }]);
    expect(await draft.goTo(2)).toBe('done');
    await renumber();
    expect(await draft.next()).toBe('changed');
    expect(window.shown).toMatchObject({ step: { id: person.steps[1]!.id }, formChanged: { removed: [] } });
    expect(await draft.next()).toBe('mistakes');
  });

  it.each(['lenient', 'strict'] as const)(
    'shows a required question that is new before a %s completion',
    async (completion) => {
      const { person, window, draft, insertStep } = await openForm([{ name: {} }]);
      const { manager } = use.database.dataSource;
      await use.service.hearing(() => manager.update(Form, person.form.id, { completion }));
      draft.change('name', 'Ada');
      await draft.save();
      expect(await draft.next()).toBe('last');
      await insertStep(1);
      await use.service.hearing(() =>
        manager.update(Field, { code: 'new', formId: person.form.id }, { isRequired: true }),
      );
      expect(await draft.complete()).toBe('changed');
      expect(window.shown.formChanged).toMatchObject({ added: [{ code: 'new' }] });
      expect(await draft.complete()).toBe('mistakes');
      expect(window.keys).toEqual(['new']);
      draft.change('new', 'x');
      expect(await draft.complete()).toBe('done');
    },
  );

  it('is not completed before the user has seen the change', async () => {
    const { window, draft, rename } = await openForm();
    await rename('Full name');
    draft.change('name', 'Ada');
    expect(await draft.complete()).toBe('changed');
    expect(window.shown).toMatchObject({ status: 'open', formChanged: UNCHANGED });
    expect(await draft.complete()).toBe('done');
  });
});
