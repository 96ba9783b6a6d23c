import type { InvalidError } from 'formtrail-client';
import { discardDraft, type Draft } from 'formtrail-session';
import { type BuiltForm, buildForm, type FieldPlan, type FormPlan } from '../support/forms.js';
import { eventually } from '../support/eventually.js';
import { useService } from '../support/service.js';
import { Device, Network, newPerson, type Window } from './support/person.js';

const use = useService();

const STEPS: Record<string, FieldPlan>[] = [
  {
    name: { isRequired: true },
    permit: { type: 'select', options: ['yes', 'no'] },
    number: { conditions: [['permit', 'equals', 'yes', 'show']] },
  },
  { note: { conditions: [['permit', 'equals', 'no', 'show']] } },
  { title: { type: 'heading' }, age: { type: 'number', isRequired: true }, country: { defaultValue: 'BY' } },
];
const STRICT: FormPlan = { form: { completion: 'strict' } };

/** A form that tests do not change. */
let built: BuiltForm;
beforeAll(async () => {
  built = await buildForm(use.database.dataSource, { steps: STEPS });
});

const groupOf = (window: Window) => window.shown.step?.blocks.find((block) => block.kind === 'group');
const changeField = (formId: number, change: string, code: string) =>
  use.database.dataSource.query(`update fields set ${change} where form_id = $1 and code = $2`, [
    formId,
    code,
  ]);

describe('a draft', () => {
  it('is filled in step by step, with one request per change and one per step', async () => {
    const person = await newPerson(use, built);
    const window = await person.look();
    const { draft } = window;
    expect(window.requests).toEqual([
      `GET forms/${person.form.slug}/by-slug`,
      expect.stringMatching(/^GET (forms|submissions)/),
      expect.stringMatching(/^GET (forms|submissions)/),
      `GET forms/${person.form.uuid}/conditions`,
    ]);
    expect(window.shown).toMatchObject({
      ...{ status: 'open', submission: undefined, form: { slug: person.form.slug } },
      ...{ steps: [{ position: 1 }, { position: 3, number: 2 }], step: { title: 'Step 1', number: 1 } },
      ...{ isFirstStep: true, isLastStep: false, progress: 50, mistakes: [] },
      saving: { kind: 'unchanged' },
    });
    expect(window.keys).toEqual(['name', 'permit']);
    expect(() => draft.change('nmae', 'Ada')).toThrow('The form has no question "nmae".');

    window.requests.length = 0;
    draft.change('name', 'A');
    draft.change('name', 'Ada');
    draft.change('permit', 'yes');
    expect(window.shown.saving).toEqual({ kind: 'saving' });
    await eventually('the question "number" is shown', () => window.keys.includes('number'));
    await window.until('saved');
    expect(window.requests).toEqual(['GET submissions', 'POST submissions', 'POST values']);
    window.requests.length = 0;
    draft.change('number', '7');
    expect(await draft.next()).toBe('done');
    expect(window.requests).toEqual(['POST values', 'POST advance']);
    expect(window.shown).toMatchObject({ step: { position: 3 }, isLastStep: true, progress: 100 });
    expect(window.shown.step?.blocks.map(({ kind }) => kind)).toEqual(['text', 'question', 'question']);
    // A default value becomes an answer as soon as its question is shown. The user can remove this answer.
    expect(window.question('country')?.value).toBe('BY');
    draft.change('country', '');
    expect(window.question('country')?.value).toBe('');
    draft.change('age', '36');
    expect(await draft.complete()).toBe('done');
    expect(window.shown).toMatchObject({ status: 'completed', endedElsewhere: false });
    const { status, answers } = await person.stored(window);
    expect([status, answers]).toEqual([
      'completed',
      { name: 'Ada', permit: 'yes', number: '7', age: '36', country: '' },
    ]);
    expect(await draft.next()).toBe('ended');

    const again = await person.open({ submission: window.shown.submission });
    expect(again.shown).toMatchObject({ status: 'completed', endedElsewhere: false, values: answers });
    again.draft.change('age', '37');
    expect(again.shown.values).toEqual(answers);
    expect(await again.draft.complete()).toBe('ended');
  });

  describe('that was only looked at', () => {
    const PLAN: FormPlan = {
      ...STRICT,
      steps: [
        { name: {}, country: { defaultValue: 'BY' }, amount: { isRepeatable: true } },
        { city: { defaultValue: 'Minsk' } },
      ],
      entities: [{ name: 'expense', isRepeatable: true, of: ['amount'] }],
    };
    let form: BuiltForm;
    beforeAll(async () => {
      form = await buildForm(use.database.dataSource, PLAN);
    });

    async function look(own = form) {
      const person = await newPerson(use, own);
      const window = await person.look();
      const drafts = async () => (await person.formtrail.listSubmissions()).data.length;
      return { person, window, draft: window.draft, drafts };
    }
    const writesOf = ({ requests }: Window) => requests.filter((one) => !one.startsWith('GET'));

    it('has not begun, and shows default values, which are no answers', async () => {
      const { window, draft, drafts } = await look();
      expect(window.question('country')?.value).toBe('BY');
      expect(window.shown.values).toEqual({ country: 'BY' });
      // The page is hidden, the connection is back, or the focus leaves an input.
      expect(await draft.save()).toBe('done');
      await draft.check('country');
      window.close();
      expect(window.shown).toMatchObject({ submission: undefined, saving: { kind: 'unchanged' } });
      expect([writesOf(window), await drafts()]).toEqual([[], 0]);
      expect(await draft.discard()).toBe('done');
      expect(window.shown.status).toBe('discarded');
    });

    it('begins with the first answer, together with the default values that the user sees', async () => {
      const { person, window, draft, drafts } = await look();
      draft.change('name', 'Ada');
      expect(window.shown.saving).toEqual({ kind: 'saving' });
      expect(await draft.save()).toBe('done');
      expect(window.shown).toMatchObject({ changedElsewhere: false, saving: { kind: 'saved' } });
      expect((await person.stored(window)).answers).toEqual({ name: 'Ada', country: 'BY' });
      expect(await draft.next()).toBe('done');
      expect(await draft.save()).toBe('done');
      expect((await person.stored(window)).answers).toEqual({ name: 'Ada', country: 'BY', city: 'Minsk' });
      expect(await drafts()).toBe(1);
    });

    it.each([
      ['next', async (draft: Draft) => draft.next()],
      ['complete', async (draft: Draft) => draft.complete()],
      ['addEntry', async (draft: Draft) => draft.addEntry('expense')],
      ['a change of a default value', async (draft: Draft) => (draft.change('country', ''), draft.save())],
    ])('begins with %s', async (_, act) => {
      const { person, window, draft, drafts } = await look();
      expect(await act(draft)).not.toBe('failed');
      expect(window.shown).toMatchObject({ submission: expect.any(String), failure: undefined });
      const { answers, current_step, status, records } = await person.stored(window);
      const before = [undefined, 1, 'draft', 0];
      expect([answers['country'], current_step, status, records.length]).not.toEqual(before);
      expect(await drafts()).toBe(1);
    });

    it('sends no default values of a draft that is only opened again', async () => {
      const { person, draft } = await look(await buildForm(use.database.dataSource, PLAN));
      await draft.next();
      await changeField(person.form.id, `default_value = 'Ada'`, 'name');
      await draft.back();
      const again = await person.look();
      expect(again.question('name')?.value).toBe('Ada');
      again.close();
      expect(writesOf(again)).toEqual([]);
    });

    it('shows the form as it is when it begins, if it has changed since', async () => {
      const { person, window, draft } = await look(await buildForm(use.database.dataSource, PLAN));
      await use.service.hearing(() => changeField(person.form.id, 'is_required = true', 'name'));
      draft.change('country', 'DE');
      expect(await draft.next()).toBe('mistakes');
      expect(window.shown.mistakes).toMatchObject([{ key: 'name', mistake: { code: 'required' } }]);
    });

    it('keeps an answer on the device until the draft has begun, for the same user only', async () => {
      const { person } = await look();
      const storage = new Device();
      const network = new Network();
      const offline = await person.look({ storage, fetch: network.fetch });
      network.isOffline = true;
      offline.draft.change('name', 'Ada');
      expect(await offline.draft.save()).toBe('failed');
      expect(offline.shown.saving.kind).toBe('offline');
      offline.close();

      const other = await (await newPerson(use, form)).look({ storage });
      expect(other.question('name')?.value).toBe('');
      other.close();

      const again = await person.look({ storage });
      expect(again.question('name')?.value).toBe('Ada');
      expect(await again.draft.save()).toBe('done');
      expect((await person.stored(again)).answers['name']).toBe('Ada');
      expect(storage.items.size).toBe(0);
    });

    it('begins once if the response to the first request is lost, even after a reload', async () => {
      const { person, drafts } = await look();
      const storage = new Device();
      const network = new Network();
      const lossy = await person.look({ storage, fetch: network.fetch });
      network.lost = /^POST .*\/submissions$/;
      lossy.draft.change('name', 'Ada');
      expect(await lossy.draft.save()).toBe('failed');
      expect(storage.getItem(`formtrail:${use.service.url}:${person.form.uuid}:begin`)).not.toBeNull();
      lossy.close();
      const again = await person.look({ storage });
      // The first window may have repeated the request before it was closed.
      await eventually('the answer is stored', () =>
        person.stored(again).then(
          ({ answers }) => answers['name'] === 'Ada',
          () => false,
        ),
      );
      expect(await drafts()).toBe(1);
    });

    it('is one draft for two windows that begin at the same moment, and after a reload', async () => {
      const { person, drafts } = await look();
      const storage = new Device();
      const windows = await Promise.all([person.look({ storage }), person.look({ storage })]);
      const [one, other] = windows;
      one.draft.change('name', 'Ada');
      other.draft.change('country', 'DE');
      await Promise.all(windows.map(({ draft }) => draft.save()));
      expect(one.shown.submission).toBe(other.shown.submission);
      expect((await person.stored(one)).answers).toMatchObject({ name: 'Ada' });
      const again = await person.look({ storage });
      expect(again.shown.submission).toBe(one.shown.submission);
      expect(await drafts()).toBe(1);
    });
  });

  it('shows the field errors of a step, and stays on it', async () => {
    const window = await (await newPerson(use, built)).open();
    const { draft } = window;
    expect(await draft.next()).toBe('mistakes');
    expect(window.shown.step?.position).toBe(1);
    const required = { field: 'name', code: 'required', params: {}, detail: 'The name is required.' };
    expect(window.shown.mistakes).toEqual([{ key: 'name', position: 1, mistake: required }]);
    expect(window.question('name')?.mistake).toEqual(required);
    // A blank answer is none (J7).
    draft.change('name', ' \u00a0\u200b');
    expect(await draft.next()).toBe('mistakes');
    expect(window.question('name')).toMatchObject({ value: ' \u00a0\u200b', mistake: { code: 'required' } });

    draft.change('name', 'Ada');
    expect(window.shown.mistakes).toEqual([]);
    expect(await draft.next()).toBe('done');
    draft.change('age', 'old');
    expect(await draft.next()).toBe('mistakes');
    expect(window.question('age')?.mistake?.code).toBe('not_a_number');
    draft.change('age', '36');
    expect(await draft.next()).toBe('last');
    expect(window.shown.step?.position).toBe(3);
  });

  it('moves to any shown step: forward only to the first with field errors, back without validation', async () => {
    const window = await (
      await newPerson(use, [{ one: {} }, { two: { isRequired: true } }, { three: {} }])
    ).open();
    const { draft } = window;
    const position = () => window.shown.step?.position;
    expect([await draft.goTo(3), position()]).toEqual(['mistakes', 2]);
    draft.change('two', 'x');
    expect([await draft.goTo(3), position()]).toEqual(['done', 3]);
    draft.change('two', '');
    expect([await draft.goTo(1), position()]).toEqual(['done', 1]);
    expect([await draft.back(), position()]).toEqual(['done', 1]);
    expect([await draft.complete(), position()]).toEqual(['mistakes', 2]);
  });

  it('moves to the first field error of strict completion, and lists those that no step shows', async () => {
    const person = await newPerson(use, [{ one: {} }, { two: {} }, { hidden: { type: 'email' } }], STRICT);
    const window = await person.open();
    window.draft.change('hidden', 'nonsense');
    await window.draft.goTo(2);
    const { id } = person.steps[2]!;
    await use.database.dataSource.query('update steps set is_visible = false where id = $1', [id]);
    await use.service.hearing(() => changeField(person.form.id, 'is_required = true', 'one'));
    const reopened = await person.open({ submission: window.shown.submission });
    expect(await reopened.draft.complete()).toBe('mistakes');
    expect(reopened.shown.step?.position).toBe(1);
    expect(reopened.shown.mistakes).toMatchObject([
      { key: 'one', position: 1, mistake: { code: 'required' } },
      { key: undefined, position: undefined, mistake: { field: 'hidden', code: 'not_an_email' } },
    ]);
  });

  it('adds and removes entries of a group, each with its own states and field errors', async () => {
    const steps: Record<string, FieldPlan>[] = [
      {
        amount: { isRepeatable: true, isRequired: true },
        kind: { isRepeatable: true, type: 'select', options: ['meal', 'other'] },
        what: { isRepeatable: true, conditions: [['kind', 'equals', 'other', 'show']] },
        total: {},
      },
    ];
    const expense = { name: 'expense', isRepeatable: true, minRecords: 1, maxRecords: 2 };
    const person = await newPerson(use, steps, {
      entities: [{ ...expense, of: ['amount', 'kind', 'what'] }],
    });
    const window = await person.open();
    const { draft } = window;
    expect(groupOf(window)).toMatchObject({ key: 'group:expense', entries: [], hasRoom: true });
    expect(await draft.complete()).toBe('mistakes');
    expect(groupOf(window)?.mistake).toMatchObject({ code: 'too_few_records', params: { min: 1, count: 0 } });

    const first = await draft.addEntry('expense');
    const second = await draft.addEntry('expense');
    const blocks = [{ key: `amount.${first}`, isRequired: true }, { key: `kind.${first}` }];
    expect(groupOf(window)).toMatchObject({
      entries: [
        { id: first, number: 1, blocks },
        { id: second, number: 2 },
      ],
      ...{ hasRoom: false, mistake: undefined },
    });
    expect(window.shown.changedElsewhere).toBe(false);
    expect(await draft.addEntry('expense')).toBeUndefined();
    expect(groupOf(window)?.mistake?.code).toBe('too_many_records');

    draft.change(`kind.${second}`, 'other');
    await eventually('the question "what" is shown', () => window.question(`what.${second}`));
    expect(window.question(`what.${first}`)).toBeUndefined();
    draft.change(`amount.${second}`, '3');
    expect(await draft.complete()).toBe('mistakes');
    expect(window.shown.mistakes).toMatchObject([{ key: `amount.${first}`, mistake: { code: 'required' } }]);

    draft.change(`amount.${first}`, 'never sent');
    expect(await draft.removeEntry(first!)).toBe('done');
    expect(groupOf(window)?.entries).toMatchObject([{ id: second, number: 1 }]);
    expect(await draft.complete()).toBe('done');
    expect((await person.stored(window)).values).toMatchObject([{ value: '3' }, { value: 'other' }]);
  });

  it('completes without entries of a group whose questions are all hidden (C14)', async () => {
    const name: FieldPlan = { isRepeatable: true, conditions: [['children', 'equals', 'yes', 'show']] };
    const children: FieldPlan = { type: 'radio', options: ['yes', 'no'] };
    const child = { name: 'child', isRepeatable: true, minRecords: 1, of: ['name'] };
    const person = await newPerson(use, [{ children }, { name, other: {} }], {
      ...STRICT,
      entities: [child],
    });
    const window = await person.open();
    const { draft } = window;
    draft.change('children', 'yes');
    expect(await draft.goTo(2)).toBe('done');
    expect(await draft.next()).toBe('mistakes');
    expect(groupOf(window)).toMatchObject({ entries: [], mistake: { code: 'too_few_records' } });
    await draft.back();
    draft.change('children', 'no');
    expect(await draft.next()).toBe('done');
    expect(groupOf(window)).toBeUndefined();
    expect([await draft.next(), await draft.complete(), window.shown.mistakes]).toEqual(['last', 'done', []]);
  });

  it('reuses all unchanged parts of a snapshot, and never modifies one', async () => {
    const window = await (await newPerson(use, built)).open();
    const before = window.shown;
    const text = JSON.stringify(before);
    window.draft.change('name', 'Ada');
    const after = window.shown;
    expect(after).not.toBe(before);
    expect(JSON.stringify(before)).toBe(text);
    expect(after.steps[0]).not.toBe(before.steps[0]);
    expect(after.steps[0]?.blocks[1]).toBe(before.steps[0]?.blocks[1]);
    expect(after.steps[1]).toBe(before.steps[1]);
    await window.draft.save();
    expect(window.shown.states).toBe(before.states);
    const notified = jest.fn();
    window.draft.subscribe(notified);
    await window.draft.save();
    window.draft.change('name', 'Ada');
    expect(notified).not.toHaveBeenCalled();
  });

  it("is the user's newest one until it is discarded, or a new one if the submission is null", async () => {
    const person = await newPerson(use, built);
    const first = await person.open();
    const newest = await person.open({ submission: null });
    const { submission } = newest.shown;
    expect(submission).not.toBe(first.shown.submission);
    const second = await person.open({ form: person.form.uuid });
    expect(second.shown.submission).toBe(submission);
    expect(await newest.draft.discard()).toBe('done');
    expect(newest.shown).toMatchObject({ status: 'discarded', endedElsewhere: false });
    expect(await second.draft.next()).toBe('ended');
    expect(second.shown).toMatchObject({ status: 'discarded', endedElsewhere: true });
    expect((await person.open()).shown.submission).toBe(first.shown.submission);
  });

  it('is discarded without being opened, with its unsaved answers on the device', async () => {
    const person = await newPerson(use, built);
    const storage = new Device();
    const window = await person.open({ storage });
    const submission = window.shown.submission!;
    storage.setItem(`formtrail:${submission}:name`, '{"value":"Ada","over":[""]}');
    window.close();
    await discardDraft({ client: person.formtrail, submission, storage });
    expect([...storage.items]).toEqual([]);
    expect((await person.client.get(`/api/v1/submissions/${submission}`)).status).toBe(404);
    await discardDraft({ client: person.formtrail, submission, storage });
  });

  it('reports why it cannot be opened, and opens on retry', async () => {
    const person = await newPerson(use, STEPS, { form: { isActive: false } });
    const window = await person.open();
    const snapshot = window.draft.getSnapshot();
    expect(snapshot.status).toBe('failed');
    const { errors } = (snapshot as { error: InvalidError }).error;
    expect(errors).toMatchObject([{ field: 'form_uuid', code: 'inactive_form' }]);
    await use.database.dataSource.query('update forms set is_active = true where id = $1', [person.form.id]);
    await eventually('the form is open again', async () => {
      window.draft.retry();
      await window.draft.open();
      return window.draft.getSnapshot().status === 'open';
    });
  });
});
