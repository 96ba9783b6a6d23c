import { text } from 'node:stream/consumers';
import type { Locator } from 'playwright-core';
import { ApiToken, Field, FieldType, Form, Option, Step, User } from '../../../src/entities.js';
import { client } from '../../support/client.js';
import { createDraft } from '../../support/drafts.js';
import { eventually } from '../../support/eventually.js';
import { buildEntity, buildForm } from '../../support/forms.js';
import { newRespondent, publicForm } from '../../support/respondents.js';
import { newUser } from '../../support/service.js';
import { picture } from '../support/accessibility.js';
import { describeInBrowser } from '../support/chromium.js';
import { expectFocus } from '../support/focus.js';
import { type ExamplePage, startExamplePage } from '../support/example-page.js';
import { Clicks } from './support/clicks.js';
import { Inputs, PanelPage } from './support/panel-page.js';
import { EMAIL, startPanel } from './support/panel-process.js';
import { usePanel, usePanelPage } from './support/use-panel.js';

interface NewField {
  readonly label: string;
  readonly type?: string;
  readonly options?: readonly string[];
  readonly isRequired?: boolean;
  /** The answer to the last choice before it for which it is shown. */
  readonly showIf?: string;
}

/** How the panel names the types of fields. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  ...{ text: 'Short text', textarea: 'Long text', email: 'Email address', number: 'Number' },
  ...{ radio: 'One choice', select: 'Drop-down list', checkbox: 'Tick boxes' },
  ...{ date: 'Date', file: 'File', heading: 'Heading', paragraph: 'Paragraph to read' },
};

/** The form that the test builds: ten fields in two steps, with a condition and a repeating group. */
const BOOKING = {
  you: [
    { label: 'Your name', isRequired: true },
    { label: 'Email address', type: 'email' },
    { label: 'Which workshop?', type: 'radio', options: ['Poetry', 'Prose'] },
    { label: 'Do you need a room?', type: 'radio', options: ['Yes', 'No'] },
    { label: 'Nights', type: 'number', showIf: 'Yes' },
  ],
  participant: [
    { label: 'Name of the participant' },
    { label: 'Level', type: 'select', options: ['Beginner', 'Advanced'] },
    { label: 'Date of birth', type: 'date' },
  ],
  participants: [
    { label: 'What should we know?', type: 'textarea' },
    { label: 'Your texts', type: 'file' },
  ],
} satisfies Readonly<Record<string, readonly NewField[]>>;

const OPTIONS = ['Travel: travel', 'Other: other'];
/** The form that another test builds without typing ids, as the service publishes it. */
const CLAIM = {
  completion: 'strict',
  time_zone: 'Europe/Berlin',
  entities: [
    {
      ...{ name: 'expense', label: 'Expense', is_repeatable: true },
      ...{ min_records: 1, max_records: null, conditions: [] },
    },
  ],
  steps: [
    {
      ...{ title: 'About you', is_visible: true, meta: { icon: 'user' } },
      fields: [
        { label: 'Who you are', type: 'heading', options: [] },
        { label: 'Your name', type: 'text', options: [] },
        { label: 'A select', type: 'select', options: OPTIONS },
        { label: 'A checkbox', type: 'checkbox', options: OPTIONS },
      ],
    },
    {
      ...{ title: 'Costs', is_visible: true, meta: null },
      fields: [
        { label: 'Which other costs?', type: 'text', options: [], conditions: ['show equals other'] },
        { label: 'Amount', type: 'number', options: [], entity: 'expense', rules: ['min 0.01'] },
      ],
    },
  ],
};

describeInBrowser('building a form in the panel', () => {
  let example: ExamplePage;
  let rendererUrl: string;
  const { use, panel, managerOf } = usePanel(async (serviceUrl) => {
    example = await startExamplePage(serviceUrl);
    return (rendererUrl = `${example.url}/`);
  });
  const { browser, logIn } = usePanelPage(panel);
  afterAll(() => example.close());

  const versionOf = async (id: number) => (await managerOf().findOneByOrFail(Form, { id })).version;

  async function openForm({ id, name }: Form, width?: number): Promise<PanelPage> {
    const page = await logIn(width);
    await page.open(name, `forms/records/${id}/show`);
    return page;
  }

  const newField = ({ page }: PanelPage, step: string) =>
    page.getByRole('form', { name: `New field in ${step}` });

  const typeIn = (form: Locator, type: string) =>
    form.getByRole('radio', { name: TYPE_WORDS[type]!, exact: true });

  const focused = (input: Locator) => input.and(input.page().locator(':focus'));

  /** Adds a field in the open form for new fields, and waits until the form is ready for the next one. */
  async function addField(form: Locator, clicks: Clicks, field: NewField): Promise<void> {
    await clicks.type(form.getByLabel('Label'), field.label);
    if (field.type) await clicks.click(typeIn(form, field.type));
    if (field.options) {
      // A click on a type with options moves the focus there.
      await focused(form.getByLabel('Options')).waitFor();
      await clicks.type(form.getByLabel('Options'), field.options.join('\n'));
    }
    if (field.showIf) {
      await clicks.click(form.getByRole('button', { name: 'Show only if…' }));
      await clicks.click(form.getByRole('radio', { name: field.showIf, exact: true }));
    }
    if (field.isRequired) await clicks.click(form.getByRole('checkbox', { name: 'Required' }));
    await clicks.click(form.getByRole('button', { name: 'Add' }));
    await form.getByText(`Added “${field.label}”.`).waitFor();
    await focused(form.getByLabel('Label')).waitFor();
  }

  /** Adds a step in the open form for new steps, and waits until the form is ready for the next one. */
  async function addStep({ page }: PanelPage, clicks: Clicks, title: string): Promise<void> {
    const form = page.getByRole('form', { name: 'New step' });
    await form.waitFor();
    await clicks.type(form.getByLabel('Title'), title);
    await clicks.click(form.getByRole('button', { name: 'Add' }));
    await form.getByText(`Added “${title}”.`).waitFor();
    await focused(form.getByLabel('Title')).waitFor();
  }

  /** Codes of the fields by step, as the database has them. */
  async function orderOf(formId: number): Promise<Record<string, string[]>> {
    const steps = await managerOf().find(Step, { where: { formId }, order: { stepNumber: 'asc' } });
    const fields = await managerOf().find(Field, { where: { formId }, order: { order: 'asc', id: 'asc' } });
    return Object.fromEntries(
      steps.map(({ id, title }) => [
        title,
        fields.filter(({ stepId }) => stepId === id).map(({ code }) => code),
      ]),
    );
  }

  const announced = ({ page }: PanelPage, text: string) =>
    page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' });

  /** Adds a field on the form's page. The form for new fields of the step is open. */
  async function addTyped(page: PanelPage, step: string, texts: Record<string, string>, type: string) {
    const form = page.page.getByRole('form', { name: `New field in ${step}` });
    await typeIn(form, type).check();
    await new Inputs(form).fill(texts);
    await page.press('Add');
  }

  const added = (page: PanelPage, label: string) => page.page.getByText(`Added “${label}”.`).waitFor();

  /** Clicks a link in the menu of the form's page. */
  async function fromMenu(page: PanelPage, name: string): Promise<void> {
    await page.press('More');
    await page.follow(name);
  }

  /** Saves, and waits until the panel shows the form's page again. */
  async function save(page: PanelPage, form: string): Promise<void> {
    await page.press('Save');
    await page.heading(form).waitFor();
  }

  it('takes at most 30 clicks for ten fields in two steps, with a condition and a repeating group', async () => {
    const page = await logIn();
    const clicks = new Clicks();
    const button = (name: string) => page.page.getByRole('button', { name, exact: true });
    await clicks.click(page.page.getByRole('link', { name: 'New form' }));
    await page.heading('New form').waitFor();
    await clicks.type(page.input('Name'), 'Prüfung für Vereine');
    await clicks.click(page.page.getByRole('radio', { name: 'Anyone' }));
    await clicks.click(button('Save'));
    for (const title of ['You', 'Participants']) await addStep(page, clicks, title);
    await clicks.click(button('Add a field to You'));
    for (const field of BOOKING.you) await addField(newField(page, 'You'), clicks, field);
    await clicks.click(button('Add a repeating group to Participants'));
    const group = page.page.getByRole('form', { name: 'New repeating group in Participants' });
    await clicks.type(group.getByLabel('An entry is called…'), 'Participant');
    await clicks.click(group.getByRole('button', { name: 'Add' }));
    await newField(page, 'Participant').waitFor();
    for (const field of BOOKING.participant) await addField(newField(page, 'Participant'), clicks, field);
    await clicks.click(button('Add a field to Participants'));
    for (const field of BOOKING.participants) await addField(newField(page, 'Participants'), clicks, field);
    expect(clicks.count).toBeLessThanOrEqual(30);

    const form = await managerOf().findOneByOrFail(Form, { slug: 'prufung-fur-vereine' });
    expect(form).toMatchObject({ access: 'public', completion: 'strict', isActive: false });
    await managerOf().update(Form, form.id, { isActive: true });
    const { body } = await use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`);
    expect(body.data.entities).toMatchObject([
      { name: 'participant', label: 'Participant', is_repeatable: true },
    ]);
    const built = body.data.steps.flatMap(({ title, fields }: any) =>
      fields.map(({ label, field_type, options, is_required, is_repeatable, entity, conditions }: any) => ({
        ...{ step: title, label, type: field_type.name, is_required, is_repeatable, entity },
        options: options.map((option: any) => option.label),
        conditions: conditions.map(({ action, depends_on_field_code, value }: any) => [
          ...[action, depends_on_field_code, value],
        ]),
      })),
    );
    const asBuilt = (step: string, entity: string | null) => (field: NewField) => ({
      ...{ step, label: field.label, type: field.type ?? 'text', entity },
      ...{ is_required: field.isRequired ?? false, is_repeatable: entity !== null },
      options: field.options ?? [],
      conditions: field.showIf ? [['show', 'do_you_need_a_room', 'yes']] : [],
    });
    expect(built).toEqual([
      ...BOOKING.you.map(asBuilt('You', null)),
      ...BOOKING.participant.map(asBuilt('Participants', 'participant')),
      ...BOOKING.participants.map(asBuilt('Participants', null)),
    ]);
    expect(Object.values(await orderOf(form.id))[1]).toEqual([
      ...['name_of_the_participant', 'level', 'date_of_birth', 'what_should_we_know', 'your_texts'],
    ]);

    // The outline shows the group as one block, and finds it again after a reload.
    await page.page.reload();
    const block = page.page.getByRole('region', { name: 'Participant', exact: true });
    await block.getByText('repeating group', { exact: true }).waitFor();
    expect(await block.getByRole('listitem').count()).toBe(3);
  }, 120_000);

  it('shows a group without fields until its first one is added, and deletes only an empty one', async () => {
    const built = await buildForm(use.database.dataSource, {
      form: { name: 'Grouped' },
      steps: [{ a: {} }, {}],
    });
    await buildEntity(
      use.database.dataSource,
      built,
      { name: 'guest', label: 'Guest', isRepeatable: true },
      [],
    );
    const page = await openForm(built.form);
    const block = page.page.getByTestId('step-2').getByRole('region', { name: 'Guest' });
    await block.getByRole('button', { name: 'Add a field to Guest' }).click();
    await addField(newField(page, 'Guest'), new Clicks(), { label: 'Name' });
    await block.getByRole('link', { name: 'Name', exact: true }).waitFor();
    expect(await managerOf().findOneBy(Field, { formId: built.form.id, code: 'name' })).toMatchObject({
      ...{ stepId: built.steps[1]!.id, isRepeatable: true },
    });
    await page.follow('Edit group Guest');
    await page.follow('Delete');
    await page.press('Confirm');
    await page.page.getByText('The group has fields, so it cannot be deleted.').waitFor();
    await managerOf().delete(Field, { formId: built.form.id, code: 'name' });
    await page.follow('Delete');
    await page.press('Confirm');
    await page.heading('Grouped').waitFor();
    expect(await block.count()).toBe(0);
  });

  it('offers options for a type of its own, which keeps its name', async () => {
    const rating = { name: 'rating', component: 'rating-input' };
    await managerOf().save(managerOf().create(FieldType, rating));
    const { form } = await buildForm(use.database.dataSource, { form: { name: 'Rated' }, steps: [{}] });
    const page = await openForm(form);
    await page.press('Add a field to Step 1');
    const added = newField(page, 'Step 1');
    await added.getByLabel('Label').fill('How was it?');
    await added.getByRole('group', { name: 'Other' }).getByRole('radio', { name: 'rating' }).check();
    await added.getByLabel('Options').fill('Bad\nGood');
    await added.getByRole('button', { name: 'Add' }).click();
    await added.getByText('Added “How was it?”.').waitFor();
    const field = await managerOf().findOneByOrFail(Field, { formId: form.id });
    const options = await managerOf().findBy(Option, { fieldId: field.id });
    expect(options.map(({ value }) => value).sort()).toEqual(['bad', 'good']);
    await page.follow('How was it?');
    await page.row('Option', 2).waitFor();
  });

  it('goes on from a wrong address to other pages', async () => {
    browser.forgive(/status of 404/);
    const page = await logIn(1400);
    const navigation = page.page.locator('[data-css=sidebar]');
    const users = navigation.getByText('Users', { exact: true });
    for (const wrong of ['tokens', 'forms/actions/nothing']) {
      await page.page.goto(`${panel.url}/admin/resources/${wrong}`);
      await page.page.getByText('Page not found').waitFor();
      if (!(await users.isVisible())) await navigation.getByText('Access', { exact: true }).click();
      await users.click();
      await page.heading('Users').waitFor();
    }
  });

  it('has one scrollbar, also with a preview, whose frame has the height of its page', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, {}]));
    const { form } = await buildForm(use.database.dataSource, { form: { name: 'Long' }, steps: [many] });
    const page = await openForm(form);
    await page.press('Preview');
    const element = await page.page.locator('iframe').elementHandle();
    const frame = await element.contentFrame();
    await frame!.getByLabel(/^f0/).waitFor();
    const documentHeight = () => page.page.evaluate<number>('document.documentElement.scrollHeight');
    expect(await documentHeight()).toBe(900);
    await frame!.evaluate(`parent.postMessage({ type: 'formtrail-height', height: 3210 }, '*')`);
    await page.page.locator('iframe[style*="height: 3210px"]').waitFor();
    // Only the renderer may say how high its page is.
    await page.page.evaluate(`postMessage({ type: 'formtrail-height', height: 1 }, '*')`);
    await page.page.setViewportSize({ width: 390, height: 900 });
    await page.page.getByRole('link', { name: 'Open the form' }).waitFor();
    expect(await documentHeight()).toBe(900);
    expect(await page.page.locator('iframe').getAttribute('style')).toContain('3210px');
  });

  it('takes at most three clicks for a field, asks for the options of a select only, and adds steps at the end', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { name: 'Short' }, steps: [{}] });
    const page = await openForm(form);
    expect(await page.page.getByRole('form', { name: 'New step' }).count()).toBe(0);
    const clicks = new Clicks();
    const added = newField(page, 'Step 1');
    await clicks.click(page.page.getByRole('button', { name: 'Add a field to Step 1' }));
    await addField(added, clicks, { label: 'Born on', type: 'date' });
    expect(clicks.count).toBeLessThanOrEqual(3);
    await page.page.getByTestId('step-1').getByRole('link', { name: 'Born on' }).waitFor();
    await page.page.getByText(`changed by ${EMAIL} on `).waitFor();

    await added.getByLabel('Label').fill('Size');
    await typeIn(added, 'select').check();
    await added.getByRole('button', { name: 'Add' }).click();
    await added.getByRole('alert').getByText('Enter at least one option.').waitFor();
    expect(await managerOf().countBy(Field, { formId: form.id })).toBe(1);
    await added.getByLabel('Options').fill('S\nM');
    await added.getByRole('button', { name: 'Add' }).click();
    await added.getByText('Added “Size”.').waitFor();
    await addField(added, new Clicks(), { label: 'I agree', type: 'checkbox' });

    await page.press('Add a step');
    await addStep(page, new Clicks(), 'Step 2');
    await page.page.getByTestId('step-2').getByRole('heading', { name: '2. Step 2' }).waitFor();
    expect(await orderOf(form.id)).toEqual({ 'Step 1': ['born_on', 'size', 'i_agree'], 'Step 2': [] });
  });

  it('proposes codes that are free, until the person types another one, and says why a code is rejected', async () => {
    const built = await buildForm(use.database.dataSource, {
      form: { name: 'Codes' },
      steps: [{ name: { isRepeatable: true } }],
    });
    await buildEntity(use.database.dataSource, built, { name: 'child', label: 'Child' }, ['name']);
    const page = await openForm(built.form);
    await page.press('Add a field to Step 1');
    const form = newField(page, 'Step 1');
    const clicks = new Clicks();
    const label = form.getByLabel('Label');
    const code = form.getByLabel('Code');
    for (const [text, proposal] of Object.entries({ Name: 'name_2', Child: 'child_2' })) {
      await label.fill(text);
      expect(await code.inputValue()).toBe(proposal);
    }
    await label.fill('');
    await addField(form, clicks, { label: 'Имя' });

    await label.fill('Mine');
    await code.fill('own');
    await label.fill('Mine too');
    expect(await code.inputValue()).toBe('own');
    await code.fill('name');
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByRole('alert').getByText('Another field of this form has this code.').waitFor();
    await code.fill('own');
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByText('Added “Mine too”.').waitFor();
    expect(await form.getByRole('alert').count()).toBe(0);
    expect(await orderOf(built.form.id)).toEqual({ 'Step 1': ['name', 'field_1', 'own'] });

    await page.open('New field', `fields/actions/new?formId=${built.form.id}&stepId=${built.steps[0]!.id}`);
    await page.fill({ Label: 'Name' });
    await page.input('Label').press('Tab');
    await page.page.locator('#code[value=name_2]').waitFor();
    await page.fill({ Code: 'own_2', Label: 'Name of another' });
    await page.input('Label').press('Tab');
    expect(await page.input('Code').inputValue()).toBe('own_2');

    for (const number of [1, 2]) {
      const option = await page.add('Option', number);
      await option.fill({ Label: 'Yes' });
      await option.input('Label').press('Tab');
    }
    await page.page.locator('[id="options.1.value"]:focus[value=yes_2]').waitFor();
  });

  it('proposes slugs that no other form has, and leaves the slug of a form that exists alone', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { name: 'Leave', slug: 'leave-days' },
    });
    const page = await logIn();
    await page.follow('New form');
    await page.fill({ Name: 'Leave days!' });
    await page.press('Save');
    await page.heading('Leave days!').waitFor();
    expect(await managerOf().countBy(Form, { slug: 'leave-days-2', name: 'Leave days!' })).toBe(1);

    await page.open('Edit', `forms/records/${form.id}/edit`);
    await page.fill({ Name: 'Holidays' });
    await page.press('Save');
    await page.heading('Holidays').waitFor();
    expect(await managerOf().findOneByOrFail(Form, { id: form.id })).toMatchObject({ slug: 'leave-days' });
  });

  it('moves fields and steps by dragging, with one request and one version for each drop', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { name: 'Dragged' },
      steps: [{ a: { label: 'A' }, b: { label: 'B' }, c: { label: 'C' } }, { d: { label: 'D' } }, {}],
    });
    const page = await openForm(form);
    const requests: string[] = [];
    page.page.on('request', (request) => {
      if (request.method() === 'POST') requests.push(new URL(request.url()).pathname);
    });
    const handle = (name: string) => page.page.getByTitle(`Drag ${name}`, { exact: true });
    const row = (label: string) =>
      page.page
        .getByRole('listitem')
        .filter({ has: page.page.getByRole('link', { name: label, exact: true }) });
    const upper = { targetPosition: { x: 60, y: 3 } };
    const lower = { targetPosition: { x: 60, y: 30 } };
    const version = await versionOf(form.id);

    await handle('“C”').dragTo(row('A'), upper);
    await announced(page, '“C” is now field 1 of 3 in “Step 1”.');
    expect(await orderOf(form.id)).toEqual({ 'Step 1': ['c', 'a', 'b'], 'Step 2': ['d'], 'Step 3': [] });
    await handle('“A”').dragTo(row('D'), lower);
    await announced(page, '“A” is now field 2 of 2 in “Step 2”.');
    await handle('“B”').dragTo(page.page.getByTestId('step-3'));
    await announced(page, '“B” is now field 1 of 1 in “Step 3”.');
    expect(await orderOf(form.id)).toEqual({ 'Step 1': ['c'], 'Step 2': ['d', 'a'], 'Step 3': ['b'] });
    await handle('step 3').dragTo(page.page.getByTestId('step-1'), upper);
    await announced(page, '“Step 3” is now step 1 of 3.');
    expect(Object.entries(await orderOf(form.id))).toEqual([
      ['Step 3', ['b']],
      ['Step 1', ['c']],
      ['Step 2', ['d', 'a']],
    ]);
    // A drop at the same place changes nothing.
    await handle('“A”').dragTo(row('A'));
    await page.page.getByText(`Version ${version + 4}, changed by ${EMAIL}`).waitFor();
    expect(await versionOf(form.id)).toBe(version + 4);
    expect(requests).toEqual(Array(4).fill(`/admin/api/resources/forms/records/${form.id}/arrange`));
  });

  it('puts a dragged field into a group and takes it out, unless the field has answers', async () => {
    const built = await buildForm(use.database.dataSource, {
      form: { name: 'Dropped' },
      steps: [{ a: { label: 'A' }, b: { label: 'B' }, c: { label: 'C', isRepeatable: true } }],
      entities: [{ name: 'guest', label: 'Guest', isRepeatable: true, of: ['c'] }],
    });
    const { client } = await newUser(use);
    const { path } = await createDraft(client, built);
    await client.post(`${path}/values`, { values: [{ field_code: 'b', value: 'x' }] });
    const page = await openForm(built.form);
    const drag = (label: string) => page.page.getByTitle(`Drag “${label}”`, { exact: true });
    const group = page.page.getByRole('region', { name: 'Guest' });
    const groupOf = async (code: string) => {
      const { entity, isRepeatable } = await managerOf().findOneOrFail(Field, {
        where: { formId: built.form.id, code },
        relations: { entity: true },
      });
      return [entity?.name, isRepeatable];
    };

    await drag('A').dragTo(group.getByRole('listitem'), { targetPosition: { x: 60, y: 3 } });
    await announced(page, '“A” is now field 2 of 3 in “Step 1”, and in the group “Guest”.');
    expect(await groupOf('a')).toEqual(['guest', true]);
    await page.press('Move “A” up');
    await announced(page, '“A” is now field 2 of 3 in “Step 1”.');
    expect(await groupOf('a')).toEqual([undefined, false]);
    browser.forgive(/status of 409/);
    await drag('B').dragTo(group);
    await page.page.getByText('The field has answers, so it can neither enter nor leave').waitFor();
    expect(await groupOf('b')).toEqual([undefined, false]);
  });

  it('moves fields and steps by keyboard, and keeps the focus on the button', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { name: 'Pressed' },
      steps: [{ a: { label: 'A' }, b: { label: 'B' } }, { c: { label: 'C' } }],
    });
    const page = await openForm(form);
    const button = (name: string) => page.page.getByRole('button', { name, exact: true });
    const press = async (name: string, announcement: string) => {
      await button(name).press('Enter');
      await announced(page, announcement);
    };
    await press('Move “A” down', '“A” is now field 2 of 2 in “Step 1”.');
    await expectFocus(button('Move “A” down'));
    await press('Move “A” down', '“A” is now field 1 of 2 in “Step 2”.');
    await expectFocus(button('Move “A” down'));
    await press('Move “A” down', '“A” is now field 2 of 2 in “Step 2”.');
    // The last field of the form can only move up.
    await expectFocus(button('Move “A” up'));
    await press('Move step 2 up', '“Step 2” is now step 1 of 2.');
    await expectFocus(button('Move step 1 down'));
    expect(Object.entries(await orderOf(form.id))).toEqual([
      ['Step 2', ['c', 'a']],
      ['Step 1', ['b']],
    ]);
  });

  it('does not move anything in a form that has changed meanwhile, and shows the changed form', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      form: { name: 'Shared' },
      steps: [{ a: { label: 'A' }, b: { label: 'B' } }],
    });
    browser.forgive(/status of 409/);
    const page = await openForm(form);
    await managerOf().update(Field, fields['b']!.id, { label: 'Theirs' });
    await page.press('Move “A” down');
    await page.page.getByText('Somebody has changed this form meanwhile.').waitFor();
    await page.page.getByRole('link', { name: 'Theirs' }).waitFor();
    expect(await orderOf(form.id)).toEqual({ 'Step 1': ['a', 'b'] });
    await page.press('Move “A” down');
    await announced(page, '“A” is now field 2 of 2 in “Step 1”.');
    expect(await orderOf(form.id)).toEqual({ 'Step 1': ['b', 'a'] });
  });

  it('shows a preview beside the outline, which follows each change, and issues a token only on a click', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      form: { name: 'Seen' },
      steps: [
        {
          price: { type: 'number', label: 'Price' },
          total: {
            ...{ type: 'number', label: 'Total' },
            computed: { op: 'sum', of: ['price', { value: '5.50' }] },
          },
          a: { label: 'First question' },
        },
      ],
    });
    const page = await openForm(form);
    const frame = page.page.frameLocator('iframe[title="Preview of the form"]');
    const question = (label: string) => frame.getByLabel(new RegExp(`^${label}`));
    expect(await page.page.locator('iframe').count()).toBe(0);
    await page.press('Preview');
    await question('First question').waitFor();
    const token = await page.input('Token').inputValue();
    await question('Price').fill('12');
    await frame.locator('output').filter({ hasText: '17.5' }).waitFor();

    await page.press('Add a field to Step 1');
    await addField(newField(page, 'Step 1'), new Clicks(), { label: 'Second question' });
    await question('Second question').waitFor();
    // The form in the frame takes no focus from the panel.
    await focused(newField(page, 'Step 1').getByLabel('Label')).waitFor();
    await page.press('Move “Second question” up');
    await frame.locator('label').filter({ hasText: 'question' }).first().getByText('Second').waitFor();

    // The page of a field replaces the page of the form, which shows the same preview again.
    await page.follow('First question');
    await page.fill({ Label: 'Another question' });
    await page.press('Save');
    await question('Another question').waitFor();
    expect(await page.input('Token').inputValue()).toBe(token);
    expect(await managerOf().findOneByOrFail(Field, { id: fields['a']!.id })).toMatchObject({
      label: 'Another question',
    });
    await page.page.reload();
    await page.heading('Seen').waitFor();
    expect(await page.page.locator('iframe').count()).toBe(0);

    // A narrow screen has only the link.
    await page.page.setViewportSize({ width: 390, height: 900 });
    await page.press('Preview');
    await page.page.getByRole('link', { name: 'Open the form' }).waitFor();
    expect(await page.page.locator('iframe').isVisible()).toBe(false);
    // The panel can frame the renderer, and no other pages.
    const { headers } = await fetch(`${panel.url}/admin/login`);
    const directives = headers.get('content-security-policy')?.split(';') ?? [];
    expect(directives.filter((one) => one.startsWith('frame-src'))).toEqual([`frame-src ${example.url}`]);
  });

  it('says which variable to set if the panel knows no renderer', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { name: 'Alone' }, steps: [{}] });
    const alone = await startPanel(use.database.url, { NODE_ENV: 'production' });
    try {
      const page = new PanelPage(await browser.newPage(), alone.url);
      await page.logIn();
      await page.open('Alone', `forms/records/${form.id}/show`);
      await page.press('Preview');
      await page.page.getByText('set RENDERER_URL').waitFor();
      expect(await page.input('Token').inputValue()).toMatch(/^ftr_/);
      expect(await page.page.locator('iframe').count()).toBe(0);
    } finally {
      await alone.stop();
    }
  });

  it('can create a form without typing ids, issue a token, and show and export submissions', async () => {
    const page = await logIn();

    await page.follow('New form');
    await page.fill({ Name: 'Claim' });
    await save(page, 'Claim');
    const clicks = new Clicks();
    await addStep(page, clicks, 'Costs');
    await addStep(page, clicks, 'About you');
    await page.press('Move step 2 up');
    await page.press('Add a repeating group to Costs');
    await clicks.type(page.input('An entry is called'), 'Expense');
    await page.page.keyboard.press('Enter');
    await page.follow('Edit group Expense');
    await page.fill({ 'Fewest entries': '1' });
    await save(page, 'Claim');
    await page.follow('Edit step About you');
    await page.fill({ 'Further data': '{"icon": "user"}' });
    await save(page, 'Claim');
    await fromMenu(page, 'Settings');
    await page.tick('Active');
    await page.fill({ Slug: 'Claim of costs' });
    await page.press('Save');
    await page.property('slug').getByText('lower-case letters and digits').waitFor();
    await page.fill({ Slug: 'claim', 'Time zone': 'Europe/Berlni' });
    await page.press('Save');
    await page.property('timeZone').getByText('There is no such time zone').waitFor();
    await page.fill({ 'Time zone': 'Europe/Berlin' });
    await save(page, 'Claim');

    const { body: listed } = await use.service.anyone.get('/api/v1/forms/claim/by-slug');
    await page.page.getByRole('button', { name: 'Preview' }).click();
    const token = await page.input('Token').inputValue();
    expect(await page.page.getByRole('link', { name: 'Open the form' }).getAttribute('href')).toBe(
      `${rendererUrl}#token=${token}/forms/${listed.data.uuid}`,
    );
    const tester = client(use.service.url, { Authorization: `Bearer ${token}` });
    const begun = await tester.post('/api/v1/submissions', { form_uuid: listed.data.uuid });
    expect([begun.status, begun.body.data.is_test]).toEqual([201, true]);

    // Without the preview, which would load again after each field.
    await page.page.reload();
    await page.press('Add a field to About you');
    for (const { label, type, options } of CLAIM.steps[0]!.fields) {
      const choices = options.length > 0 && { Options: 'Travel\nOther' };
      await addTyped(page, 'About you', { Label: label, Code: type, ...choices }, type);
      await added(page, label);
    }
    await page.follow('A select');
    await new Inputs(page.row('Option', 2)).fill({ Value: 'travel' });
    await page.press('Save');
    await page.property('options').getByText('Another option has this value').waitFor();
    expect(await page.row('Option', 2).innerText()).toContain('Another option has this value');
    await new Inputs(page.row('Option', 2)).fill({ Value: 'other' });
    await save(page, 'Claim');

    await page.press('Add a field to Costs');
    await addTyped(page, 'Costs', { Label: 'Which other costs?', Code: 'expense' }, 'text');
    await page.page.getByRole('alert').getByText('A group of this form has this name').waitFor();
    await addTyped(page, 'Costs', { Code: 'other' }, 'text');
    await added(page, 'Which other costs?');
    await page.press('Add a field to Costs');
    await page.press('Add a field to Expense');
    await addTyped(page, 'Expense', { Label: 'Amount', Code: 'amount' }, 'number');
    await added(page, 'Amount');
    await page.follow('Which other costs?');
    const condition = await page.add('Condition', 1);
    await condition.choose('If field', 'A select');
    await condition.choose('Value', 'Other');
    await save(page, 'Claim');

    await page.follow('Amount');
    const rule = await page.add('Rule', 1);
    await rule.choose('Kind', 'Smallest number');
    await rule.fill({ Value: '0.01', Message: 'An amount is more than nothing.' });
    await save(page, 'Claim');
    await picture(page.page, 'panel', false);

    const { body: schema } = await use.service.anyone.get(`/api/v1/forms/${listed.data.uuid}/schema`);
    expect(outlineOf(schema.data)).toEqual(CLAIM);

    await page.open('Users', 'users');
    await page.follow('New user');
    await page.fill({ 'Email address': 'ada@example.org' });
    await page.press('Save');
    await page.page.getByText('ada@example.org').waitFor();
    await page.open('Tokens', 'api_tokens');
    await page.follow('Issue token');
    await page.choose('User', 'ada@example.org');
    await page.fill({ Name: 'renderer' });
    await page.press('Issue');
    const plainToken = await page.input('Token').inputValue();
    expect(plainToken).toMatch(/^ftk_[\w-]{43}$/);
    await page.follow('I have copied it');

    const ada = client(use.service.url, { Authorization: `Bearer ${plainToken}` });
    const { body: draft } = await ada.post('/api/v1/submissions', { form_uuid: listed.data.uuid });
    const submission = `/api/v1/submissions/${draft.data.uuid}`;
    const record = await ada.post(`${submission}/records`, { entity: 'expense' });
    const { status } = await ada.post(`${submission}/values`, {
      values: [
        { field_code: 'text', value: 'Ada Lovelace' },
        { field_code: 'select', value: 'other' },
        { field_code: 'other', value: 'Cards, with "quotes"' },
        { field_code: 'amount', value: '12.50', entity_record_id: record.body.data.id },
      ],
    });
    expect(status).toBe(200);
    expect((await ada.patch(submission, { status: 'completed' })).status).toBe(200);

    await page.open('Forms', 'forms');
    await page.page.getByRole('cell', { name: 'Claim', exact: true }).click();
    await fromMenu(page, 'Submissions');
    await page.page.getByRole('cell', { name: 'completed' }).click();
    await page.page.getByText('Cards, with "quotes"').waitFor();
    await page.page.getByRole('row', { name: '1 12.50' }).waitFor();

    await page.open('Forms', 'forms');
    await page.page.getByRole('cell', { name: 'Claim', exact: true }).click();
    const csv = await download(page, 'Export as CSV');
    expect(csv).toContain(draft.data.uuid);
    expect(csv).toContain('"Cards, with ""quotes"""');
    const [line] = (await download(page, 'Export as JSON lines')).trim().split('\n');
    expect(JSON.parse(line!)).toMatchObject({ uuid: draft.data.uuid, user_email: 'ada@example.org' });

    await page.open('Tokens', 'api_tokens');
    await page.page.getByRole('cell', { name: 'renderer' }).click();
    await page.follow('Revoke');
    await page.press('Confirm');
    await page.page.getByText('the service rejects the token').waitFor();
    await eventually('the token is rejected', async () => (await ada.get(submission)).status === 401);
  }, 300_000);

  it('makes conditions of steps and entities, which can only show or hide', async () => {
    const built = await buildForm(use.database.dataSource, {
      form: { name: 'Branches' },
      steps: [
        { more: { type: 'radio', label: 'More', options: ['yes', 'no'] } },
        { child: { label: 'Name', isRepeatable: true } },
      ],
    });
    const entity = { name: 'children', label: 'Children', isRepeatable: true };
    await buildEntity(use.database.dataSource, built, entity, ['child']);
    const page = await logIn();
    await page.open('Branches', `forms/records/${built.form.id}/show`);
    for (const [link, effect, value] of [
      ['Edit step Step 2', 'Hide', 'no'],
      ['Edit group Children', 'Show', 'yes'],
    ] as const) {
      await page.follow(link);
      // The page says whose conditions they are.
      const name = page.input(link.startsWith('Edit step') ? 'Title' : 'An entry is called');
      await name.waitFor();
      expect(link).toContain(await name.inputValue());
      const condition = await page.add('Condition', 1);
      await condition.input('Effect').click();
      const effects = page.page.getByRole('option');
      expect(await effects.allInnerTexts()).toEqual(['Show', 'Hide']);
      await effects.filter({ hasText: effect }).click();
      await condition.choose('If field', 'More');
      await condition.choose('Value', value);
      await save(page, 'Branches');
    }
    await page.page.getByTestId('step-2').getByText('Hide if More is no').waitFor();
    await page.page.getByText('Show if More is yes').waitFor();

    const { body } = await use.service.anyone.get(`/api/v1/forms/${built.form.uuid}/schema`);
    const expected = { depends_on_field_code: 'more', operator: 'equals' };
    expect(body.data.steps[1].conditions).toMatchObject([{ ...expected, action: 'hide', value: 'no' }]);
    expect(body.data.entities[0].conditions).toMatchObject([{ ...expected, action: 'show', value: 'yes' }]);

    await page.follow('Edit step Step 2');
    await page.press('Remove Condition 1');
    await save(page, 'Branches');
    const { body: changed } = await use.service.anyone.get(`/api/v1/forms/${built.form.uuid}/schema`);
    expect(changed.data.steps[1].conditions).toEqual([]);
  });

  it('does not overwrite concurrent changes, and does not remove a step that has fields', async () => {
    const { fields, steps } = await buildForm(use.database.dataSource, { steps: [{ name: {} }] });
    const page = await logIn();
    const { id } = fields['name']!;
    await page.open('Edit', `fields/records/${id}/edit`);
    await page.fill({ Label: 'Mine' });
    await managerOf().update(Field, id, { label: 'Theirs' });
    await page.press('Save');
    await page.property('label').getByText('Somebody has changed this form meanwhile.').waitFor();
    expect(await managerOf().findOneBy(Field, { id })).toMatchObject({ label: 'Theirs' });

    await page.open('Edit', `steps/records/${steps[0]!.id}/edit`);
    await page.follow('Delete');
    await page.press('Confirm');
    await page.page.getByText('The step has fields.').waitFor();
    expect(await managerOf().existsBy(Step, { id: steps[0]!.id })).toBe(true);
  });

  it('issues no token for a user who no longer exists, or while its end is typed in half', async () => {
    const manager = managerOf();
    const [gone, user] = await manager.save(
      ['gone@example.org', 'half@example.org'].map((email) => manager.create(User, { email })),
    );
    const page = await logIn();
    await page.open('Tokens', 'api_tokens');
    await page.follow('Issue token');
    await page.choose('User', 'gone@example.org');
    await manager.delete(User, { id: gone!.id });
    await page.press('Issue');
    await page.page.getByText('This user no longer exists. Choose another one.').waitFor();

    await page.choose('User', 'half@example.org');
    const end = page.input('Expires');
    await end.pressSequentially('1231');
    await page.press('Issue');
    // The browser says what is wrong, and moves the focus there.
    await expectFocus(end);
    expect(await end.evaluate((input) => input.validity.badInput)).toBe(true);
    const userId = user!.id;
    expect(await manager.countBy(ApiToken, { userId })).toBe(0);
    await end.fill('2999-12-31T10:00');
    await page.press('Issue');
    await page.input('Token').waitFor();
    const { expiresAt } = await manager.findOneByOrFail(ApiToken, { userId });
    expect(expiresAt?.getTime()).toBe(await page.page.evaluate('new Date(2999, 11, 31, 10).getTime()'));
  });

  it('lists respondents only on request, titles them, and issues no tokens for them', async () => {
    const form = await publicForm(use);
    const ada = await newRespondent(use, form);
    const { uuid } = await createDraft(ada.client, form);
    const { manager } = use.database.dataSource;
    const user = await manager.save(manager.create(User, { email: 'not-public@example.org' }));
    const nameless = await manager.save(manager.create(User, {}));
    const page = await logIn();
    const cell = (name: string) => page.page.getByRole('cell', { name, exact: true });
    const title = `Respondent ${ada.id}`;

    await page.open('Users', 'users');
    await cell('not-public@example.org').waitFor();
    expect(await page.page.locator(`tr[data-id="${ada.id}"]`).count()).toBe(0);
    expect(await page.page.locator(`tr[data-id="${user.id}"]`).count()).toBe(1);
    await page.open('Users', 'users?filters.isRespondent=true');
    await page.page.locator(`tr[data-id="${ada.id}"]`).getByText('Yes').waitFor();
    expect(await page.page.locator(`tr[data-id="${user.id}"]`).count()).toBe(0);

    await page.open('Submissions', 'submissions');
    await page.page.locator(`tr[data-id="${uuid}"]`).getByRole('link', { name: title }).click();
    await page.page.waitForURL(`**/users/records/${ada.id}/show`);
    await page.page.getByTestId('property-show-isRespondent').getByText('Yes').waitFor();
    await page.page.getByTestId('property-show-id').getByText(String(ada.id)).waitFor();
    expect(await page.page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    await page.open(`User ${nameless.id} — User`, `users/records/${nameless.id}/show`);
    await page.page.getByTestId('property-show-isRespondent').getByText('No').waitFor();
    await page.page.getByRole('link', { name: 'Edit' }).first().waitFor();

    const [token] = await manager.findBy(ApiToken, { userId: ada.id });
    await page.open('Tokens', 'api_tokens');
    expect(await page.page.locator(`tr[data-id="${token!.id}"]`).count()).toBe(0);
    await page.open('Tokens', 'api_tokens?filters.isRespondent=true');
    await page.page.locator(`tr[data-id="${token!.id}"]`).getByText(title).waitFor();

    await page.follow('Issue token');
    await page.input('User').click();
    await page.page.getByRole('option', { name: 'not-public@example.org' }).waitFor();
    expect(await page.page.getByRole('option', { name: title }).count()).toBe(0);
  });
});

async function download({ page }: PanelPage, link: string): Promise<string> {
  await page.getByRole('button', { name: 'More' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: link, exact: true }).click(),
  ]);
  return text(await file.createReadStream());
}

/** Returns only the properties of a schema that the test entered in the panel. */
function outlineOf({ completion, time_zone, entities, steps }: any): unknown {
  return {
    completion,
    time_zone,
    entities,
    steps: steps.map(({ title, is_visible, meta, fields }: any) => ({
      ...{ title, is_visible, meta },
      fields: fields.map(({ label, field_type, options, conditions, rules, entity }: any) => ({
        label,
        type: field_type.name,
        options: options.map((option: any) => `${option.label}: ${option.value}`),
        ...(conditions.length > 0 && {
          conditions: conditions.map(({ action, operator, value }: any) => `${action} ${operator} ${value}`),
        }),
        ...(rules.length > 0 && { rules: rules.map(({ kind, value }: any) => `${kind} ${value}`) }),
        ...(entity && { entity }),
      })),
    })),
  };
}
