import type { ShownDraft } from 'formtrail-session';
import { type BuiltForm, buildForm, type FieldPlan, type FormPlan } from '../support/forms.js';
import { useService } from '../support/service.js';
import { showIf } from '../support/show-if.js';
import { newPerson } from './support/person.js';

const use = useService();
const YES_OR_NO: FieldPlan = { type: 'radio', options: ['yes', 'no'] };

/** Four steps. The second is shown if `more` is yes, the third if `less` is yes. */
const APPLICATION: FormPlan = {
  steps: [
    { more: YES_OR_NO, less: YES_OR_NO },
    { reason: { isRequired: true } },
    { amount: {} },
    { last: { isRequired: true } },
  ],
  stepConditions: { 2: [['more', 'equals', 'yes', 'show']], 3: [['less', 'equals', 'yes', 'show']] },
};

/** A form that tests do not change. */
let application: BuiltForm;
beforeAll(async () => {
  application = await buildForm(use.database.dataSource, APPLICATION);
});

const outline = ({ steps, step, progress, isFirstStep, isLastStep }: ShownDraft) => ({
  ...{ steps: steps.map(({ position }) => position), at: step?.position, progress, isFirstStep, isLastStep },
});

describe('a draft of a form with conditions on steps', () => {
  it('shows only visible steps, and moves past the others with one request, as the service does', async () => {
    const person = await newPerson(use, application);
    const window = await person.open();
    const { draft } = window;
    expect(outline(window.shown)).toEqual({
      ...{ steps: [1, 4], at: 1, progress: 50, isFirstStep: true, isLastStep: false },
    });
    draft.change('less', 'yes');
    await draft.save();
    expect(outline(window.shown)).toMatchObject({ steps: [1, 3, 4], progress: 33 });

    window.requests.length = 0;
    expect(await draft.next()).toBe('done');
    expect(window.requests).toEqual(['POST advance']);
    expect((await person.stored(window)).current_step).toBe(3);
    expect(outline(window.shown)).toMatchObject({ at: 3, progress: 67, isLastStep: false });
    const path = `/api/v1/submissions/${window.shown.submission}`;
    const next = await person.client.post(`${path}/advance?skip=hidden`);
    expect(await draft.next()).toBe('done');
    const { current_step, is_last_step, progress_percentage } = next.body.data;
    expect([current_step, is_last_step, progress_percentage]).toEqual([4, true, 100]);
    expect(outline(window.shown)).toMatchObject({ at: 4, progress: 100, isLastStep: true });

    window.requests.length = 0;
    expect(await draft.goTo(1)).toBe('done');
    expect(window.requests).toEqual(['POST retreat', 'POST retreat']);
    expect((await person.stored(window)).current_step).toBe(1);
  });

  it('keeps what was typed on a step that an answer hides, and shows it again', async () => {
    const person = await newPerson(use, application);
    const window = await person.open();
    const { draft } = window;
    draft.change('more', 'yes');
    expect(await draft.next()).toBe('done');
    expect(await draft.next()).toBe('mistakes');
    draft.change('reason', 'because');
    expect(await draft.back()).toBe('done');
    draft.change('more', 'no');
    draft.change('reason', 'because of it');
    expect(await draft.next()).toBe('done');
    expect(outline(window.shown)).toMatchObject({ steps: [1, 4], at: 4 });
    expect(window.shown.mistakes).toEqual([]);
    expect((await person.stored(window)).answers).toEqual({ more: 'no', reason: 'because of it' });
    draft.change('last', 'x');
    expect(await draft.back()).toBe('done');
    draft.change('more', 'yes');
    expect(await draft.next()).toBe('done');
    expect(window.question('reason')?.value).toBe('because of it');
    draft.change('reason', '');
    expect(await draft.complete()).toBe('mistakes');
    expect(outline(window.shown)).toMatchObject({ at: 2 });
    draft.change('more', 'no');
    expect(await draft.complete()).toBe('done');
  });

  it('leaves a step that its own answer hides, and goes on from there', async () => {
    const person = await newPerson(use, [{ name: {} }, { reason: {}, more: YES_OR_NO }], {
      stepConditions: { 2: [['more', 'not_equals', 'no', 'show']] },
    });
    const window = await person.open();
    const { draft } = window;
    expect(await draft.next()).toBe('done');
    expect(outline(window.shown)).toMatchObject({ steps: [1, 2], at: 2, isLastStep: true });
    draft.change('reason', 'typed');
    draft.change('more', 'no');
    await draft.save();
    expect(outline(window.shown)).toMatchObject({ steps: [1], at: 1, progress: 100, isLastStep: true });
    expect(await draft.next()).toBe('last');
    expect((await person.stored(window)).answers).toEqual({ reason: 'typed', more: 'no' });
    expect(await draft.complete()).toBe('done');
  });

  it('moves to the nearest shown step if another window has hidden the target', async () => {
    const person = await newPerson(use, [...APPLICATION.steps!], APPLICATION);
    const here = await person.open();
    here.draft.change('more', 'yes');
    await here.draft.save();
    const there = await person.open();
    there.draft.change('more', 'no');
    await there.draft.save();
    expect(await here.draft.next()).toBe('done');
    expect(outline(here.shown)).toMatchObject({ steps: [1, 4], at: 4 });
    expect(here.shown.changedElsewhere).toBe(true);

    await here.draft.back();
    await use.service.hearing(() => showIf(use.database.dataSource, person, { step: 4 }, 'more', 'no'));
    expect(outline(here.shown)).toMatchObject({ steps: [1, 4], at: 1 });
    there.draft.change('more', '');
    await there.draft.save();
    expect(await here.draft.next()).toBe('done');
    expect(outline(here.shown)).toMatchObject({ steps: [1], at: 1, isLastStep: true });
    expect(here.shown).toMatchObject({ changedElsewhere: true, failure: undefined });
    expect(await here.draft.next()).toBe('last');
  });
});

describe('the check of one answer', () => {
  let form: BuiltForm;
  beforeAll(async () => {
    form = await buildForm(use.database.dataSource, {
      steps: [
        {
          mail: { type: 'email', isRequired: true },
          age: { type: 'number', rules: { min: '18' } },
          note: {},
        },
        { later: { type: 'date' } },
      ],
    });
  });
  const open = async () => {
    const window = await (await newPerson(use, form)).open();
    const mistakes = () => window.shown.mistakes.map(({ key, mistake: { code } }) => [key, code]);
    return { window, mistakes, draft: window.draft };
  };

  it('saves it and finds a wrong type and a broken rule, until the answer changes', async () => {
    const { draft, window, mistakes } = await open();
    draft.change('mail', 'nonsense');
    await draft.check('mail');
    const notAnEmail = ['mail', 'not_an_email'];
    expect(mistakes()).toEqual([notAnEmail]);
    expect(window.requests.slice(-2)).toEqual(['POST values', 'GET validation']);
    draft.change('age', '17');
    await draft.check('age');
    expect(mistakes()).toEqual([notAnEmail, ['age', 'below_minimum']]);
    draft.change('mail', 'ada@example.org');
    expect(mistakes()).toEqual([['age', 'below_minimum']]);
    draft.change('age', '18');
    await draft.check('age');
    expect(mistakes()).toEqual([]);
  });

  it('finds nothing in a missing answer and in other answers, and sends no request for text without rules', async () => {
    const { draft, window, mistakes } = await open();
    draft.change('later', 'nonsense');
    draft.change('note', 'anything');
    await draft.check('mail');
    await draft.check('note');
    expect(mistakes()).toEqual([]);
    expect(window.requests).not.toContain('GET validation');
    draft.change('age', '20');
    await draft.check('age');
    expect(mistakes()).toEqual([]);
    await draft.check('later');
    expect(mistakes()).toEqual([['later', 'not_a_date']]);
  });

  it('drops what it finds if the answer has changed meanwhile, and does nothing during a move', async () => {
    const { draft, window, mistakes } = await open();
    draft.change('mail', 'nonsense');
    await draft.save();
    const checking = draft.check('mail');
    draft.change('mail', 'ada@example.org');
    await checking;
    expect(mistakes()).toEqual([]);
    window.requests.length = 0;
    const moving = draft.next();
    await draft.check('mail');
    expect(await moving).toBe('done');
    expect(window.requests).not.toContain('GET validation');
  });
});
