import type { Locator } from 'playwright-core';
import { proposedName, SLUGS } from '../../examples/panel/src/components/names.js';
import { EntityDefinition, Field, Form, Option, Step } from '../../src/entities.js';
import { buildEntity, buildForm } from '../support/forms.js';
import { useService } from '../support/service.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { Clicks } from './support/clicks.js';
import { hasFocus } from './support/form-page.js';
import { Inputs, PanelPage } from './support/panel-page.js';
import { EMAIL, type PanelProcess, startPanel } from './support/panel-process.js';
import { startRenderer } from './support/renderer.js';
import type { StaticServer } from './support/static-server.js';

interface NewField {
  readonly label: string;
  readonly type?: string;
  readonly options?: readonly string[];
  readonly isRequired?: boolean;
}

/** The form that the test builds: ten fields of different types in two steps. */
const GRANT: Readonly<Record<string, readonly NewField[]>> = {
  'About you': [
    { label: 'Full name', isRequired: true },
    { label: 'E-mail address', type: 'email' },
    { label: 'Date of birth', type: 'date' },
    { label: 'Name of your society' },
    { label: 'Your role', type: 'radio', options: ['Chair', 'Treasurer', 'Ordinary member'] },
  ],
  'Your project': [
    { label: 'What you plan', type: 'textarea' },
    { label: 'Cost in €', type: 'number' },
    { label: 'First day', type: 'date' },
    { label: 'Budget', type: 'file' },
    { label: 'We decide within four weeks.', type: 'paragraph' },
  ],
};

describeInBrowser('building a form in the panel', () => {
  const use = useService();
  const browser = useBrowser();
  let renderer: StaticServer;
  let panel: PanelProcess;

  beforeAll(async () => {
    renderer = await startRenderer();
    panel = await startPanel(use.database.url, `${renderer.url}/?api=${use.service.url}`);
  }, 300_000);
  afterAll(() => Promise.all([panel.stop(), renderer.close()]));

  const managerOf = () => use.database.dataSource.manager;
  const versionOf = async (id: number) => (await managerOf().findOneByOrFail(Form, { id })).version;

  async function logIn(width = 1280): Promise<PanelPage> {
    const page = new PanelPage(await browser.newPage({ viewport: { width, height: 900 } }), panel.url);
    await page.logIn();
    return page;
  }

  async function openForm({ id, name }: Form, width?: number): Promise<PanelPage> {
    const page = await logIn(width);
    await page.open(name, `forms/records/${id}/show`);
    return page;
  }

  const newField = ({ page }: PanelPage, step: string) =>
    page.getByRole('form', { name: `New field in ${step}` });

  const focused = (input: Locator) => input.and(input.page().locator(':focus'));

  /** Adds a field in the open form for new fields, and waits until the form is ready for the next one. */
  async function addField(form: Locator, clicks: Clicks, field: NewField): Promise<void> {
    await clicks.type(form.getByLabel('Label'), field.label);
    if (field.type) await clicks.click(form.getByRole('radio', { name: field.type, exact: true }));
    if (field.options) await clicks.type(form.getByLabel('Options'), field.options.join('\n'));
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

  it('takes at most 28 clicks for ten fields in two steps', async () => {
    const page = await logIn();
    const clicks = new Clicks();
    // Requests for the slugs that are taken stay without a response. Saving does not wait for them.
    await page.page.route(/\/forms\/actions\/list/, () => undefined);
    await clicks.click(page.page.getByRole('link', { name: 'New form' }));
    await clicks.type(page.input('Name'), 'Förderung für Vereine');
    await clicks.click(page.page.locator('label[for=isActive]'));
    await clicks.click(page.page.getByRole('button', { name: 'Save' }));
    for (const title of Object.keys(GRANT)) await addStep(page, clicks, title);
    for (const [step, fields] of Object.entries(GRANT)) {
      await clicks.click(page.page.getByRole('button', { name: `Add a field to ${step}` }));
      for (const field of fields) await addField(newField(page, step), clicks, field);
    }
    expect(clicks.count).toBeLessThanOrEqual(28);

    const { body: listed } = await use.service.anyone.get('/api/v1/forms/forderung-fur-vereine/by-slug');
    const { body } = await use.service.anyone.get(`/api/v1/forms/${listed.data.uuid}/schema`);
    const built = Object.fromEntries(
      body.data.steps.map(({ title, fields }: any) => [
        title,
        fields.map(({ label, field_type, options, is_required }: any) => ({
          label,
          ...(field_type.name !== 'text' && { type: field_type.name }),
          ...(options.length > 0 && { options: options.map((option: any) => option.label) }),
          ...(is_required && { isRequired: true }),
        })),
      ]),
    );
    expect(built).toEqual(GRANT);
    expect(await orderOf(listed.data.id)).toEqual({
      'About you': ['full_name', 'e_mail_address', 'date_of_birth', 'name_of_your_society', 'your_role'],
      'Your project': ['what_you_plan', 'cost_in', 'first_day', 'budget', 'we_decide_within_four_weeks'],
    });
    const options = await managerOf().find(Option, {
      where: { field: { code: 'your_role', formId: listed.data.id } },
      order: { order: 'asc' },
    });
    expect(options.map(({ value }) => value)).toEqual(['chair', 'treasurer', 'ordinary_member']);
  });

  it('takes at most three clicks for a field on the page of the form', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { name: 'Short' }, steps: [{}] });
    const page = await openForm(form);
    const clicks = new Clicks();
    await clicks.click(page.page.getByRole('button', { name: 'Add a field to Step 1' }));
    await addField(newField(page, 'Step 1'), clicks, { label: 'Born on', type: 'date' });
    expect(clicks.count).toBeLessThanOrEqual(3);
    await page.page.getByTestId('step-1').getByRole('link', { name: 'Born on' }).waitFor();
    await page.page.getByText(`changed by ${EMAIL} on `).waitFor();
  });

  it('asks for the options of a select before it adds the field, but not for those of a checkbox', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { name: 'Choices' }, steps: [{}] });
    const page = await openForm(form);
    await page.press('Add a field to Step 1');
    const added = newField(page, 'Step 1');
    await added.getByLabel('Label').fill('Size');
    await added.getByRole('radio', { name: 'select', exact: true }).check();
    await added.getByRole('button', { name: 'Add' }).click();
    await added.getByRole('alert').getByText('Enter at least one option.').waitFor();
    expect(await managerOf().countBy(Field, { formId: form.id })).toBe(0);
    await added.getByLabel('Options').fill('S\nM');
    await added.getByRole('button', { name: 'Add' }).click();
    await added.getByText('Added “Size”.').waitFor();
    await addField(added, new Clicks(), { label: 'I agree', type: 'checkbox' });
    expect(await orderOf(form.id)).toEqual({ 'Step 1': ['size', 'i_agree'] });
  });

  it('adds steps at the end of the form, in a form that is open only if there are none yet', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { name: 'Longer' } });
    const page = await openForm(form);
    expect(await page.page.getByRole('form', { name: 'New step' }).count()).toBe(0);
    await page.press('Add a step');
    await addStep(page, new Clicks(), 'Step 2');
    await page.page.getByTestId('step-2').getByRole('heading', { name: '2. Step 2' }).waitFor();
    expect(await orderOf(form.id)).toEqual({ 'Step 1': ['name'], 'Step 2': [] });
    await page.page.getByText(`changed by ${EMAIL} on `).waitFor();
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
    for (const [text, proposal] of [
      ['Name', 'name_2'],
      ['Child', 'child_2'],
      ['Straße', 'strasse'],
      ['Имя', 'field_1'],
      ['', ''],
    ] as const) {
      await label.fill(text);
      expect(await code.inputValue()).toBe(proposal);
    }
    await addField(form, clicks, { label: 'Имя' });
    await addField(form, clicks, { label: '名前' });

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
    expect(await orderOf(built.form.id)).toEqual({ 'Step 1': ['name', 'field_1', 'field_2', 'own'] });

    await page.open('New field', `fields/actions/new?formId=${built.form.id}&stepId=${built.steps[0]!.id}`);
    await page.fill({ Label: 'Name' });
    await page.input('Label').press('Tab');
    await page.page.locator('#code:focus[value=name_2]').waitFor();
    await page.fill({ Code: 'own_2', Label: 'Name of another' });
    await page.input('Label').press('Tab');
    expect(await page.input('Code').inputValue()).toBe('own_2');

    for (const number of [1, 2]) {
      const option = await page.add('Option', number);
      await option.fill({ Label: 'Yes' });
      await option.input('Label').press('Tab');
    }
    await page.page.locator('[id="options.1.value"]:focus[value=yes_2]').waitFor();
    await page.press('Move Option 2 up');
    await page.page.locator('[id="options.0.value"][value=yes_2]').waitFor();
    await page.page.locator('[id="options.1.value"][value=yes]').waitFor();

    await page.open('Edit', `forms/records/${built.form.id}/edit`);
    const entity = await page.add('Entity', 2);
    await entity.fill({ Label: 'Own' });
    await entity.input('Label').press('Tab');
    await page.page.locator('[id="entities.1.name"]:focus[value=own_2]').waitFor();
    await new Inputs(page.row('Entity', 1)).fill({ Label: 'Children' });
    await page.press('Save');
    await page.heading('Codes — Form').waitFor();
    const entities = await managerOf().find(EntityDefinition, {
      where: { formId: built.form.id },
      order: { id: 'asc' },
    });
    expect(entities.map(({ name, label }) => [name, label])).toEqual([
      ['child', 'Children'],
      ['own_2', 'Own'],
    ]);
  });

  it('proposes slugs that no other form has, and leaves the slug of a form that exists alone', async () => {
    // The slugs of these two forms are form-1 and form-2, or have higher numbers.
    for (const name of ['One', 'Two']) await buildForm(use.database.dataSource, { form: { name } });
    const { form } = await buildForm(use.database.dataSource, {
      form: { name: 'Leave', slug: 'leave-days' },
    });
    const slugs = (await managerOf().find(Form)).map(({ slug }) => slug);
    const page = await logIn();
    await page.follow('New form');
    await page.fill({ Name: 'Имя' });
    await page.input('Name').press('Tab');
    await page.page.locator(`#slug:focus[value=${proposedName('Имя', SLUGS, new Set(slugs))}]`).waitFor();
    await page.fill({ Name: 'Leave days!' });
    await page.input('Name').press('Tab');
    await page.page.locator('#slug:focus[value=leave-days-2]').waitFor();
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
    expect(await hasFocus(button('Move “A” down'))).toBe(true);
    await press('Move “A” down', '“A” is now field 1 of 2 in “Step 2”.');
    expect(await hasFocus(button('Move “A” down'))).toBe(true);
    await press('Move “A” down', '“A” is now field 2 of 2 in “Step 2”.');
    // The last field of the form can only move up.
    expect(await hasFocus(button('Move “A” up'))).toBe(true);
    await press('Move step 2 up', '“Step 2” is now step 1 of 2.');
    expect(await hasFocus(button('Move step 1 down'))).toBe(true);
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
    const version = await versionOf(form.id);
    await page.press('Move “A” down');
    await page.page.getByText('Somebody has changed this form meanwhile.').waitFor();
    await page.page.getByRole('link', { name: 'Theirs' }).waitFor();
    expect(await orderOf(form.id)).toEqual({ 'Step 1': ['a', 'b'] });
    expect(await versionOf(form.id)).toBe(version);
    await page.press('Move “A” down');
    await announced(page, '“A” is now field 2 of 2 in “Step 1”.');
    expect(await orderOf(form.id)).toEqual({ 'Step 1': ['b', 'a'] });
  });

  it('shows a preview beside the outline, which follows each change, and issues a token only on a click', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      form: { name: 'Seen' },
      steps: [{ a: { label: 'First question' } }],
    });
    const page = await openForm(form);
    const frame = page.page.frameLocator('iframe[title="Preview of the form"]');
    const question = (label: string) => frame.getByLabel(new RegExp(`^${label}`));
    expect(await page.page.locator('iframe').count()).toBe(0);
    await page.press('Preview');
    await question('First question').waitFor();
    const token = await page.page.getByLabel('Token').inputValue();

    await page.press('Add a field to Step 1');
    await addField(newField(page, 'Step 1'), new Clicks(), { label: 'Second question' });
    await question('Second question').waitFor();
    // The renderer focuses its heading, but the person is about to type in the panel.
    await focused(newField(page, 'Step 1').getByLabel('Label')).waitFor();
    await page.press('Move “Second question” up');
    await frame.locator('label').filter({ hasText: 'question' }).first().getByText('Second').waitFor();

    // The page of a field replaces the page of the form, which shows the same preview again.
    await page.follow('First question');
    await page.fill({ Label: 'Another question' });
    await page.press('Save');
    await question('Another question').waitFor();
    expect(await page.page.getByLabel('Token').inputValue()).toBe(token);
    expect(await managerOf().findOneByOrFail(Field, { id: fields['a']!.id })).toMatchObject({
      label: 'Another question',
    });
    await page.page.reload();
    await page.heading('Seen').waitFor();
    expect(await page.page.locator('iframe').count()).toBe(0);
  });

  it('shows only the link to the preview on a narrow screen', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { name: 'Narrow' }, steps: [{}] });
    const page = await openForm(form, 390);
    await page.press('Preview');
    await page.page.getByRole('link', { name: 'Open the form' }).waitFor();
    expect(await page.page.locator('iframe').isVisible()).toBe(false);
  });

  it('can frame the renderer, and no other pages', async () => {
    const { headers } = await fetch(`${panel.url}/admin/login`);
    const directives = headers.get('content-security-policy')?.split(';') ?? [];
    expect(directives.filter((one) => one.startsWith('frame-src'))).toEqual([`frame-src ${renderer.url}`]);
  });

  it('says which variable to set if the panel knows no renderer', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { name: 'Alone' }, steps: [{}] });
    const production = { NODE_ENV: 'production' };
    const alone = await startPanel(use.database.url, '', 'light', production);
    try {
      const page = new PanelPage(await browser.newPage(), alone.url);
      await page.logIn();
      await page.open('Alone', `forms/records/${form.id}/show`);
      await page.press('Preview');
      await page.page.getByText('set RENDERER_URL').waitFor();
      expect(await page.page.getByLabel('Token').inputValue()).toMatch(/^ftr_/);
      expect(await page.page.locator('iframe').count()).toBe(0);
    } finally {
      await alone.stop();
    }
  });
});
