import type { EntityMetadata } from 'typeorm';
import { Condition, Field, FieldType, Form, Option } from '../../src/entities.js';
import { createDraft } from '../support/drafts.js';
import { buildForm } from '../support/forms.js';
import { newUser, useService } from '../support/service.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { Inputs, PanelPage } from './support/panel-page.js';
import { type PanelProcess, startPanel } from './support/panel-process.js';
import { openSession } from './support/panel-session.js';

/** Columns of the tables of forms that nobody sets in the panel, because the database or the place of the row sets them. */
const SET_OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  forms: ['uuid', 'version', 'updatedBy', 'createdAt', 'updatedAt'],
  steps: ['formId', 'stepNumber'],
  entities: ['formId'],
  options: ['fieldId', 'order'],
  conditions: ['formId', 'fieldId', 'stepId', 'entityId'],
  field_rules: ['fieldId'],
};

interface ResourceOfPanel {
  readonly id: string;
  readonly editProperties: readonly {
    readonly name: string;
    readonly subProperties: readonly { readonly name: string }[];
  }[];
}

const use = useService({ COMPLETION_POLICY: 'lenient' });
let panel: PanelProcess;

beforeAll(async () => {
  panel = await startPanel(use.database.url, 'http://127.0.0.1:5173/');
}, 300_000);
afterAll(() => panel.stop());

const managerOf = () => use.database.dataSource.manager;

/** The tables that make up forms, and the types of their fields. */
function tablesOfForms(): EntityMetadata[] {
  const tables = [Form, FieldType].map((entity) => use.database.dataSource.getMetadata(entity));
  for (const table of tables) {
    const parts = table.oneToManyRelations.map(({ inverseEntityMetadata }) => inverseEntityMetadata);
    tables.push(...new Set(parts.filter((part) => !tables.includes(part))));
  }
  return tables;
}

describe('the panel', () => {
  it('names the encoding of its pages, which browsers would guess wrong', async () => {
    const { headers } = await fetch(`${panel.url}/admin/login`);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('can set every column of a form and its parts, except those that the database sets', async () => {
    const session = await openSession(panel.url);
    const { text } = await session('/admin');
    const state = JSON.parse(/window\.REDUX_STATE = (.*);$/m.exec(text)?.[1] ?? '') as {
      resources: ResourceOfPanel[];
    };
    const tables = tablesOfForms();
    const editable = new Map(tables.map(({ tableName }) => [tableName, new Set<string>()]));
    for (const { id, editProperties } of state.resources) {
      for (const { name, subProperties } of editProperties) {
        const part = tables
          .find(({ tableName }) => tableName === id)
          ?.oneToManyRelations.find(({ propertyName }) => propertyName === name);
        if (part === undefined) editable.get(id)?.add(name);
        for (const column of subProperties)
          editable.get(part?.inverseEntityMetadata.tableName ?? '')?.add(column.name);
      }
    }
    for (const { tableName, columns } of tables) {
      const names = columns.filter(({ isPrimary }) => !isPrimary).map(({ propertyName }) => propertyName);
      const set = [...(editable.get(tableName) ?? []), ...(SET_OTHERWISE[tableName] ?? [])];
      expect([tableName, set.sort()]).toEqual([tableName, names.sort()]);
    }
    const all = [...Object.keys(SET_OTHERWISE), 'fields', 'field_types'];
    expect([...editable.keys()].sort()).toEqual(all.sort());
  });
});

describeInBrowser('the words of the panel', () => {
  const browser = useBrowser();

  async function logIn(): Promise<PanelPage> {
    const page = new PanelPage(await browser.newPage(), panel.url);
    await page.logIn();
    return page;
  }

  async function save(page: PanelPage, form: string): Promise<void> {
    await page.press('Save');
    await page.heading(`${form} — Form`).waitFor();
  }

  it('make a new form strict, unless a person chooses otherwise', async () => {
    const page = await logIn();
    await page.open('New form', 'forms/actions/new');
    await page.property('completion').getByText('Strict', { exact: true }).waitFor();
    await page.fill({ Name: 'Contact', Slug: 'contact' });
    await page.tick('Active');
    await (await page.add('Step', 1)).fill({ Title: 'You' });
    await save(page, 'Contact');
    const manager = managerOf();
    const stored = () =>
      manager.findOneOrFail(Form, { where: { slug: 'contact' }, relations: { steps: true } });
    const form = await stored();
    expect([form.completion, form.access]).toEqual(['strict', 'token']);

    const place = `formId=${form.id}&stepId=${form.steps[0]!.id}`;
    await page.open('New field', `fields/actions/new?${place}`);
    await page.fill({ Label: 'Email', Code: 'email' });
    await page.choose('Type', 'email');
    await page.tick('Required');
    await save(page, 'Contact');
    const { client } = await newUser(use);
    const draft = await createDraft(client, { form, steps: [], fields: {} });
    await client.post(`${draft.path}/values`, { values: [{ field_code: 'email', value: 'nonsense' }] });
    const { status, body } = await client.patch(draft.path, { status: 'completed' });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['email']]);

    for (const [choice, completion] of [
      ['Lenient', 'lenient'],
      ['Service default', null],
    ] as const) {
      await page.open('Edit form Contact', `forms/records/${form.id}/edit`);
      await page.choose('On completion', choice);
      await save(page, 'Contact');
      expect((await stored()).completion).toBe(completion);
    }
    await page.open('Edit form Contact', `forms/records/${form.id}/edit`);
    await page.property('completion').getByText('Service default', { exact: true }).waitFor();
  });

  it('offer accepted files and the largest size for file fields only, with a message for a wrong value', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      steps: [{ name: {}, cv: { type: 'file', label: 'CV' } }],
    });
    const page = await logIn();
    await page.open('Edit field name', `fields/records/${fields['name']!.id}/edit`);
    await page.property('meta').waitFor();
    expect(await page.input('Accepted files').count()).toBe(0);
    await page.choose('Type', 'file');
    await page.input('Accepted files').waitFor();

    await page.open('Edit field CV', `fields/records/${fields['cv']!.id}/edit`);
    await page.fill({ 'Accepted files': 'PDF', 'Largest file': '1000', 'Further data': '[]' });
    await page.press('Save');
    await page.property('accept').getByText('in lower case, separated by commas').waitFor();
    await page.fill({ 'Accepted files': 'application/pdf, .docx', 'Largest file': '30000000' });
    await page.press('Save');
    await page.property('maxBytes').getByText('from 1 to 26214400').waitFor();
    await page.fill({ 'Largest file': '1000' });
    await page.press('Save');
    await page.property('meta').getByText('Enter a JSON object').waitFor();
    await page.fill({ 'Further data': '{"autocomplete": "off"}' });
    await save(page, form.name);
    expect(await managerOf().findOneBy(Field, { id: fields['cv']!.id })).toMatchObject({
      accept: 'application/pdf, .docx',
      maxBytes: 1000,
      meta: { autocomplete: 'off' },
    });
  });

  /** A form with a choice, a list, two fields with the same label, and a field with a condition on the choice. */
  async function formWithConditions() {
    const built = await buildForm(use.database.dataSource, {
      form: { name: 'Permits' },
      steps: [
        {
          permit: { type: 'radio', label: 'Needs a permit', options: ['y', 'n'] },
          first: { label: 'Name' },
          heading: { type: 'heading', label: 'A heading' },
        },
        {
          second: { label: 'Name' },
          colours: { type: 'checkbox', label: 'Colours', options: ['r', 'g', 'r,g'] },
          agreed: { type: 'checkbox', label: 'I agree' },
          number: { label: 'Number', conditions: [['permit', 'equals', 'y', 'show']] },
        },
      ],
    });
    const label = (field: string, value: string, label: string) =>
      managerOf().update(Option, { fieldId: built.fields[field]!.id, value }, { label });
    await label('permit', 'y', 'Yes');
    await label('permit', 'n', 'No');
    await label('colours', 'r', 'Red');
    await label('colours', 'g', 'Green');
    return built;
  }

  it('say what conditions do on the pages of a form and of a field, and while a person edits them', async () => {
    const { form, fields, steps } = await formWithConditions();
    const id = fields['number']!.id;
    const page = await logIn();
    await page.open('Permits — Form', `forms/records/${form.id}/show`);
    await page.page
      .getByTestId('step-2')
      .getByText('Show if Needs a permit is Yes', { exact: true })
      .waitFor();
    await page.open('Number — Field', `fields/records/${id}/show`);
    await page.page.getByText('Show if Needs a permit is Yes', { exact: true }).waitFor();

    await page.follow('Edit');
    const sentences = page.page.getByTestId('condition-sentences');
    await sentences.getByText('Show if Needs a permit is Yes', { exact: true }).waitFor();
    const first = new Inputs(page.row('Condition', 1));
    await first.fill({ Group: '1' });
    const second = await page.add('Condition', 2);
    await second.input('If field').click();
    expect(await page.page.getByRole('option').allInnerTexts()).toEqual([
      ...['Needs a permit', 'Name (first)', 'Name (second)', 'Colours', 'I agree'],
    ]);
    for (const { title } of steps) await page.page.getByText(title, { exact: true }).last().waitFor();
    await page.page.getByRole('option', { name: 'Colours' }).click();
    await second.choose('Operator', 'is one of');
    await second.input('Value').click();
    // A list cannot contain "r,g".
    expect(await page.page.getByRole('option').allInnerTexts()).toEqual(['Red', 'Green']);
    await page.page.getByRole('option', { name: 'Red' }).click();
    await page.page.getByRole('option', { name: 'Green' }).click();
    await second.fill({ Group: '1' });
    await second.input('Group').blur();
    const grouped = 'Show if Needs a permit is Yes and Colours is one of Red, Green';
    await sentences.getByText(grouped, { exact: true }).waitFor();

    const third = await page.add('Condition', 3);
    await third.choose('Effect', 'Hide');
    await third.choose('If field', 'Needs a permit');
    await third.choose('Value', 'Yes');
    await third.choose('If field', 'I agree');
    // The new field has no option "y".
    await sentences.getByText('Hide if I agree is …', { exact: true }).waitFor();
    await third.choose('Value', 'ticked');
    await third.choose('Operator', 'is empty');
    await sentences.getByText('Hide if I agree is empty', { exact: true }).waitFor();
    expect(await third.input('Value').count()).toBe(0);
    await save(page, 'Permits');
    await page.page.getByText(grouped, { exact: true }).waitFor();
    const stored = await managerOf().find(Condition, { where: { fieldId: id }, order: { id: 'asc' } });
    expect(stored.map(({ action, operator, value }) => [action, operator, value])).toEqual([
      ['show', 'equals', 'y'],
      ['show', 'in', 'r,g'],
      ['hide', 'empty', ''],
    ]);
  });

  it('keep a value that is no option, and say so', async () => {
    const { fields, form } = await formWithConditions();
    const fieldId = fields['number']!.id;
    await managerOf().update(Condition, { fieldId }, { value: 'perhaps' });
    const page = await logIn();
    await page.open('Edit field Number', `fields/records/${fieldId}/edit`);
    await page.row('Condition', 1).getByText('perhaps (no option)').waitFor();
    await new Inputs(page.row('Condition', 1)).choose('If field', 'Needs a permit');
    await page.fill({ Label: 'Number of the permit' });
    await save(page, form.name);
    expect(await managerOf().findOneBy(Condition, { fieldId })).toMatchObject({ value: 'perhaps' });
  });

  it('name the record in the heading, the breadcrumb and the title of each page', async () => {
    const built = await formWithConditions();
    const { form, fields, steps } = built;
    const { client } = await newUser(use);
    const { uuid } = await createDraft(client, built);
    const page = await logIn();
    const crumbs = page.page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link');
    for (const [path, title, links] of [
      ['forms', 'Forms', []],
      ['forms/actions/new', 'New form', ['Forms']],
      [`forms/records/${form.id}/show`, 'Permits — Form', ['Forms']],
      [`forms/records/${form.id}/edit`, 'Edit form Permits', ['Forms']],
      [`steps/records/${steps[0]!.id}/edit`, 'Edit step Step 1', ['Forms', 'Permits']],
      [`fields/records/${fields['agreed']!.id}/edit`, 'Edit field I agree', ['Fields', 'Permits']],
      [`fields/records/${fields['agreed']!.id}/show`, 'I agree — Field', ['Fields', 'Permits']],
      [`submissions/records/${uuid}/show`, /^Permits by .+@.+ — Submission$/, ['Submissions', 'Permits']],
    ] as const) {
      await page.page.goto(`${panel.url}/admin/resources/${path}`);
      const heading = page.page.getByRole('heading', { level: 2, name: title });
      await heading.waitFor();
      const name = path === 'forms' ? 'Forms — Formtrail' : (await heading.innerText()).trim();
      expect(await page.page.title()).toBe(name);
      expect(await crumbs.allInnerTexts()).toEqual(links);
    }
    await crumbs.last().click();
    await page.heading('Permits — Form').waitFor();
  });
});
