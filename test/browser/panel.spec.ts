import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ApiToken, Field, Step, User } from '../../src/entities.js';
import { eventually } from '../support/eventually.js';
import { client } from '../support/client.js';
import { createDraft } from '../support/drafts.js';
import { buildEntity, buildForm } from '../support/forms.js';
import { newRespondent, publicForm } from '../support/respondents.js';
import { useService } from '../support/service.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { hasFocus } from './support/form-page.js';
import { Inputs, PanelPage } from './support/panel-page.js';
import { EMAIL, type PanelProcess, PASSWORD, startPanel } from './support/panel-process.js';
import { startRenderer } from './support/renderer.js';
import type { StaticServer } from './support/static-server.js';

/** The directory for screenshots, if any: `SCREENSHOTS=directory npx jest test/browser`. */
const PICTURES = process.env['SCREENSHOTS'] || undefined;

/** Labels of fields by type, for all types without options except `number`. The claim already has a number field. */
const PLAIN = {
  heading: 'Who you are',
  paragraph: 'We pay within a week.',
  text: 'Your name',
  email: 'Your address',
  textarea: 'What it was for',
  date: 'When it was',
  file: 'Your receipt',
};
const OPTIONS = ['Travel: travel', 'Other: other'];

/** The form that the test creates in the panel, as the service publishes it. */
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
      title: 'About you',
      is_visible: true,
      meta: { icon: 'user' },
      fields: [
        ...Object.entries(PLAIN).map(([type, label]) => ({ label, type, options: [] })),
        { label: 'A select', type: 'select', options: OPTIONS },
        { label: 'A radio', type: 'radio', options: OPTIONS },
        { label: 'A checkbox', type: 'checkbox', options: OPTIONS },
      ],
    },
    {
      title: 'Costs',
      is_visible: true,
      meta: null,
      fields: [
        { label: 'Which other costs?', type: 'text', options: [], conditions: ['show equals other'] },
        { label: 'Amount', type: 'number', options: [], entity: 'expense', rules: ['min 0.01'] },
      ],
    },
  ],
};

describeInBrowser('the administration panel', () => {
  const use = useService();
  const browser = useBrowser();
  let renderer: StaticServer;
  let rendererUrl: string;
  let panel: PanelProcess;

  beforeAll(async () => {
    renderer = await startRenderer();
    rendererUrl = `${renderer.url}/?api=${use.service.url}`;
    panel = await startPanel(use.database.url, rendererUrl);
  }, 300_000);
  afterAll(() => Promise.all([panel.stop(), renderer.close()]));

  async function logIn(): Promise<PanelPage> {
    const page = new PanelPage(await browser.newPage({ viewport: { width: 1280, height: 900 } }), panel.url);
    await page.logIn();
    return page;
  }

  /** Takes screenshots in the widths of a monitor and a telephone. */
  async function picture({ page }: PanelPage, name: string): Promise<void> {
    if (PICTURES === undefined) return;
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 2_000 });
      await page.screenshot({ path: path.join(PICTURES, `panel-${name}-${width}.png`) });
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  }

  /** Adds a field on the form's page. The form for new fields of the step is open. */
  async function addField(page: PanelPage, step: string, texts: Record<string, string>, type: string) {
    const form = page.page.getByRole('form', { name: `New field in ${step}` });
    await form.getByRole('radio', { name: type, exact: true }).check();
    await new Inputs(form).fill(texts);
    await page.press('Add');
  }

  const added = (page: PanelPage, label: string) => page.page.getByText(`Added “${label}”.`).waitFor();

  /** Saves, and waits until the panel shows the form's page again. */
  async function save(page: PanelPage, form: string): Promise<void> {
    await page.press('Save');
    await page.heading(form).waitFor();
  }

  it('can create a form without typing ids, issue a token, and show and export submissions', async () => {
    const page = await logIn();
    await picture(page, 'forms');

    await page.follow('New form');
    await page.fill({ Name: 'Claim', Slug: 'Claim of costs' });
    await page.tick('Active');
    await (await page.add('Step', 1)).fill({ Title: 'Costs' });
    await (await page.add('Step', 2)).fill({ Title: 'About you', 'Further data': '{"icon": "user"}' });
    await page.row('Step', 2).getByRole('button', { name: 'Move Step 2 up' }).click();
    const expense = await page.add('Entity', 1);
    await expense.fill({ Label: 'Expense', 'Minimum records': '1' });
    await expense.tick('Repeatable');
    await page.press('Save');
    await page.property('slug').getByText('lower-case letters and digits').waitFor();
    await picture(page, 'mistake');
    await page.fill({ Slug: 'claim', 'Time zone': 'Europe/Berlni' });
    await page.press('Save');
    await page.property('timeZone').getByText('There is no such time zone').waitFor();
    await page.fill({ 'Time zone': 'Europe/Berlin' });
    await save(page, 'Claim');

    const { body: listed } = await use.service.anyone.get('/api/v1/forms/claim/by-slug');
    await page.page.getByRole('button', { name: 'Preview' }).click();
    const token = await page.page.getByLabel('Token').inputValue();
    expect(await page.page.getByRole('link', { name: 'Open the form' }).getAttribute('href')).toBe(
      `${rendererUrl}#token=${token}/forms/${listed.data.uuid}`,
    );
    const begun = await use.service.anyone.post(
      '/api/v1/submissions',
      { form_uuid: listed.data.uuid },
      { Authorization: `Bearer ${token}` },
    );
    expect([begun.status, begun.body.data.is_test]).toEqual([201, true]);

    // Without the preview, which would load again after each field.
    await page.page.reload();
    await page.press('Add a field to About you');
    for (const [type, label] of Object.entries(PLAIN)) {
      await addField(page, 'About you', { Label: label, Code: type }, type);
      await added(page, label);
    }
    for (const type of ['select', 'radio', 'checkbox']) {
      const texts = { Label: `A ${type}`, Code: type, Options: 'Travel\nOther' };
      await addField(page, 'About you', texts, type);
      await added(page, `A ${type}`);
    }
    await page.follow('A select');
    await new Inputs(page.row('Option', 2)).fill({ Value: 'travel' });
    await page.press('Save');
    await page.property('options').getByText('Another option has this value').waitFor();
    expect(await page.row('Option', 2).innerText()).toContain('Another option has this value');
    await new Inputs(page.row('Option', 2)).fill({ Value: 'other' });
    await save(page, 'Claim');

    await page.press('Add a field to Costs');
    await addField(page, 'Costs', { Label: 'Which other costs?', Code: 'expense' }, 'text');
    await page.page.getByRole('alert').getByText('An entity of this form has this name').waitFor();
    await addField(page, 'Costs', { Code: 'other' }, 'text');
    await added(page, 'Which other costs?');
    await addField(page, 'Costs', { Label: 'Amount', Code: 'amount' }, 'number');
    await added(page, 'Amount');
    await page.follow('Which other costs?');
    const condition = await page.add('Condition', 1);
    await condition.choose('If field', 'A select');
    await condition.choose('Value', 'Other');
    await save(page, 'Claim');

    await page.follow('Amount');
    await page.tick('Repeatable');
    await page.choose('Entity', 'Expense');
    const rule = await page.add('Rule', 1);
    await rule.choose('Kind', 'min');
    await rule.fill({ Value: '0.01', Message: 'An amount is more than nothing.' });
    await picture(page, 'field');
    await save(page, 'Claim');
    await picture(page, 'form');

    const { body: schema } = await use.service.anyone.get(`/api/v1/forms/${listed.data.uuid}/schema`);
    expect(outlineOf(schema.data)).toEqual(CLAIM);

    await page.open('Users', 'users');
    await page.follow('New user');
    await page.fill({ 'E-mail address': 'ada@example.org' });
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
        { field_code: 'amount', value: '0', entity_record_id: record.body.data.id },
      ],
    });
    expect(status).toBe(200);
    const { body: refused } = await ada.patch(submission, { status: 'completed' });
    expect(refused.errors).toEqual({
      [`amount.${record.body.data.id}`]: ['An amount is more than nothing.'],
    });
    await ada.post(`${submission}/values`, {
      values: [{ field_code: 'amount', value: '12.50', entity_record_id: record.body.data.id }],
    });
    expect((await ada.patch(submission, { status: 'completed' })).status).toBe(200);

    await page.open('Forms', 'forms');
    await page.page.getByRole('cell', { name: 'Claim', exact: true }).click();
    await page.follow('Submissions');
    await page.page.getByRole('cell', { name: 'completed' }).click();
    await page.page.getByText('Cards, with "quotes"').waitFor();
    await page.page.getByRole('row', { name: '1 12.50' }).waitFor();
    await picture(page, 'submission');

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
      ['Conditions of Step 2', 'Hide', 'no'],
      ['Conditions of Children', 'Show', 'yes'],
    ] as const) {
      await page.follow(link);
      // The page says whose conditions they are.
      const name = link.replace('Conditions of ', '');
      await page.input(name === 'Children' ? 'Label' : 'Title').waitFor();
      expect(await page.input(name === 'Children' ? 'Label' : 'Title').inputValue()).toBe(name);
      const condition = await page.add('Condition', 1);
      await condition.input('Effect').click();
      const effects = page.page.getByRole('option');
      expect(await effects.allInnerTexts()).toEqual(['Show', 'Hide']);
      await effects.filter({ hasText: effect }).click();
      await condition.choose('If field', 'More');
      await condition.choose('Value', value);
      await picture(page, `conditions-${effect}`);
      await save(page, 'Branches');
    }
    await page.page.getByTestId('step-2').getByText('Hide if More is no').waitFor();
    await page.page.getByText('Show if More is yes').waitFor();
    await picture(page, 'branches');

    const { body } = await use.service.anyone.get(`/api/v1/forms/${built.form.uuid}/schema`);
    const expected = { depends_on_field_code: 'more', operator: 'equals' };
    expect(body.data.steps[1].conditions).toMatchObject([{ ...expected, action: 'hide', value: 'no' }]);
    expect(body.data.entities[0].conditions).toMatchObject([{ ...expected, action: 'show', value: 'yes' }]);

    const refused = await page.page.request.post(
      `${panel.url}/admin/api/resources/steps/records/${built.steps[1]!.id}/edit`,
      {
        data: {
          'conditions.0.action': 'require',
          'conditions.0.dependsOnFieldId': String(built.fields['more']!.id),
          'conditions.0.operator': 'not_empty',
        },
      },
    );
    const { record } = (await refused.json()) as { record: { errors: Record<string, { message: string }> } };
    expect(record.errors['conditions.0.action']?.message).toBe(
      'Conditions can only show or hide a step or an entity. Require its fields instead.',
    );
    await page.follow('Conditions of Step 2');
    await page.press('Remove Condition 1');
    await save(page, 'Branches');
    const { body: changed } = await use.service.anyone.get(`/api/v1/forms/${built.form.uuid}/schema`);
    expect(changed.data.steps[1].conditions).toEqual([]);
  });

  it('does not overwrite concurrent changes', async () => {
    const { fields } = await buildForm(use.database.dataSource, { steps: [{ name: {} }] });
    const { manager } = use.database.dataSource;
    const page = await logIn();
    await page.open('Edit', `fields/records/${fields['name']!.id}/edit`);
    await page.fill({ Label: 'Mine' });
    await manager.update(Field, fields['name']!.id, { label: 'Theirs' });
    await page.press('Save');
    await page.property('formId').getByText('Somebody has changed this form meanwhile.').waitFor();
    expect(await manager.findOneBy(Field, { id: fields['name']!.id })).toMatchObject({ label: 'Theirs' });
  });

  it('says that a user no longer exists when a token is issued', async () => {
    const { manager } = use.database.dataSource;
    const user = await manager.save(manager.create(User, { email: 'gone@example.org' }));
    const page = await logIn();
    await page.open('Tokens', 'api_tokens');
    await page.follow('Issue token');
    await page.choose('User', 'gone@example.org');
    await manager.delete(User, { id: user.id });
    await page.press('Issue');
    await page.page.getByText('This user no longer exists. Choose another one.').waitFor();
  });

  it('issues no token while its end is typed in half', async () => {
    const { manager } = use.database.dataSource;
    const user = await manager.save(manager.create(User, { email: 'half@example.org' }));
    const page = await logIn();
    await page.open('Tokens', 'api_tokens');
    await page.follow('Issue token');
    await page.choose('User', 'half@example.org');
    const end = page.input('Expires');
    await end.pressSequentially('1231');
    await page.press('Issue');
    // The browser says what is wrong, and moves the focus there.
    await eventually('the input has the focus', () => hasFocus(end));
    expect(await end.evaluate((input) => input.validity.badInput)).toBe(true);
    expect(await manager.countBy(ApiToken, { userId: user.id })).toBe(0);
    await end.fill('2999-12-31T10:00');
    await page.press('Issue');
    await page.input('Token').waitFor();
    const [token] = await manager.findBy(ApiToken, { userId: user.id });
    expect(token?.expiresAt?.getTime()).toBe(
      await page.page.evaluate('new Date(2999, 11, 31, 10).getTime()'),
    );
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

  it('does not remove a step that has fields', async () => {
    const { form, steps } = await buildForm(use.database.dataSource, { steps: [{ name: {} }] });
    const page = await logIn();
    await page.open('Edit', `forms/records/${form.id}/edit`);
    await page.press('Remove Step 1');
    await page.press('Save');
    await page.property('steps').getByText('The step “Step 1” has fields.').waitFor();
    expect(await use.database.dataSource.manager.existsBy(Step, { id: steps[0]!.id })).toBe(true);
  });

  it('redirects every request without a session to the login', async () => {
    for (const place of ['resources/forms', 'api/resources/forms/actions/list', 'export/claim.csv']) {
      for (const query of ['', '?/admin/frontend/assets/app.bundle.js']) {
        const { status, headers } = await fetch(`${panel.url}/admin/${place}${query}`, {
          redirect: 'manual',
        });
        expect([status, headers.get('location')]).toEqual([302, '/admin/login']);
      }
    }
  });

  it('sets a Secure cookie over https, and allows ten login attempts a minute', async () => {
    const logIn = (password: string) =>
      fetch(`${panel.url}/admin/login`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'X-Forwarded-For': '198.51.100.7', 'X-Forwarded-Proto': 'https' },
        body: new URLSearchParams({ email: EMAIL, password }),
      });
    const { status, headers } = await logIn(PASSWORD);
    expect([status, headers.get('location')]).toEqual([302, '/admin']);
    expect(headers.get('set-cookie')).toMatch(/HttpOnly; Secure; SameSite=Strict/);
    const statuses: number[] = [];
    for (let attempt = 2; attempt <= 11; attempt += 1) statuses.push((await logIn('wrong')).status);
    expect(statuses).toEqual([...Array<number>(9).fill(200), 429]);
  });
});

async function download({ page }: PanelPage, link: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: link, exact: true }).click(),
  ]);
  return readFile(await file.path(), 'utf8');
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
