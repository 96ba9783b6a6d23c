import type { EntityMetadata } from 'typeorm';
import { Condition, Field, FieldRule, FieldType, File, Form, Option, Step } from '../../../src/entities.js';
import { createDraft } from '../../support/drafts.js';
import { PDF, storeFile } from '../../support/files.js';
import { buildForm } from '../../support/forms.js';
import { newUser } from '../../support/service.js';
import { describeInBrowser } from '../support/chromium.js';
import { Inputs, type PanelPage } from './support/panel-page.js';
import { EMAIL } from './support/panel-process.js';
import { usePanel, usePanelPage } from './support/use-panel.js';

/** Columns of the tables of forms that nobody sets in the panel, because the database or the place of the row sets them. */
const SET_OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  forms: ['uuid', 'version', 'updatedBy', 'locales', 'createdAt', 'updatedAt'],
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

const { use, panel, managerOf, openSession } = usePanel();

const versionOf = async ({ id }: Pick<Form, 'id'>) =>
  (await managerOf().findOneByOrFail(Form, { id })).version;

/** The tables that make up forms, and the types of their fields. */
function tablesOfForms(): EntityMetadata[] {
  const tables = [Form, FieldType].map((entity) => use.database.dataSource.getMetadata(entity));
  for (const table of tables) {
    const parts = table.oneToManyRelations.map(({ inverseEntityMetadata }) => inverseEntityMetadata);
    tables.push(...new Set(parts.filter((part) => !tables.includes(part))));
  }
  return tables;
}

/** Completes a submission, then changes the labels of the form, and retires a field. */
async function submissionOfOldVersion() {
  const built = await buildForm(use.database.dataSource, {
    form: { completion: 'strict' },
    steps: [
      {
        old: { label: 'Asked before' },
        colours: { type: 'checkbox', label: 'Colours', options: ['r', 'w', 'r,w'] },
        travel: { type: 'select', label: 'Travel', options: ['yes', 'no'] },
        later: { label: 'Asked then' },
        cv: { type: 'file', label: 'Your CV' },
        agreed: { type: 'checkbox', label: 'I agree' },
        news: { type: 'checkbox', label: 'Send me news' },
        reason: { label: 'Why not', conditions: [['travel', 'equals', 'no', 'show']] },
      },
      {
        amount: { label: 'Amount', isRepeatable: true },
        what: { label: 'What for', isRepeatable: true },
        unasked: { label: 'Not answered', isRepeatable: true },
      },
    ],
    entities: [{ name: 'expense', label: 'Expense', isRepeatable: true, of: ['amount', 'what', 'unasked'] }],
  });
  const { form, fields, steps } = built;
  const manager = managerOf();
  const label = (code: string, value: string, label: string) =>
    manager.update(Option, { fieldId: fields[code]!.id, value }, { label });
  await label('colours', 'w', 'White');
  await label('travel', 'yes', 'Yes, by train');
  const begun = await versionOf(form);
  const { client } = await newUser(use);
  const { uuid, path } = await createDraft(client, built);
  const { uuid: file, value: cv } = await storeFile(client, path, PDF, { name: 'lebenslauf ü (1).pdf' });
  const records = [];
  for (let number = 1; number <= 3; number += 1)
    records.push((await client.post(`${path}/records`, { entity: 'expense' })).body.data.id);
  const { status } = await client.post(`${path}/values`, {
    values: [
      ...Object.entries({
        ...{ old: 'before', colours: 'w', travel: 'yes', later: 'then', cv },
        ...{ agreed: 'true', news: 'Off', reason: 'Too far' },
      }).map(([field_code, value]) => ({ field_code, value })),
      { field_code: 'amount', value: '3.20', entity_record_id: records[0] },
      { field_code: 'amount', value: '12.50', entity_record_id: records[1] },
      { field_code: 'what', value: 'Hotel', entity_record_id: records[1] },
    ],
  });
  expect(status).toBe(200);
  await use.service.hearing(() => manager.update(Field, fields['old']!.id, { retiredAt: new Date() }));
  const completed = await versionOf(form);
  expect((await client.patch(path, { status: 'completed' })).status).toBe(200);

  await label('travel', 'yes', 'Yes, today');
  await manager.update(Field, fields['travel']!.id, { label: 'Do you travel today?' });
  await manager.update(Field, fields['later']!.id, { label: 'Asked today', retiredAt: new Date() });
  await manager.update(Step, steps[0]!.id, { title: 'Another title' });
  return { ...built, uuid, path, client, file, begun, completed };
}

describe('the panel', () => {
  it('can set every column of a form and its parts, except those that the database sets', async () => {
    const session = await openSession();
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

  it('sends only files of the submission that are uploaded and not infected, and only to people who are logged in', async () => {
    const { uuid, file } = await submissionOfOldVersion();
    const other = await submissionOfOldVersion();
    const address = `/admin/submissions/${uuid}/files/${file}`;
    const session = await openSession();

    const { status, text, headers } = await session(address);
    expect([status, text]).toEqual([200, PDF.toString()]);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename*=UTF-8''lebenslauf%20%C3%BC%20%281%29.pdf`,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect((await session(`/admin/submissions/${other.uuid}/files/${file}`)).status).toBe(404);
    expect((await session('/admin/submissions/x/files/y')).status).toBe(400);
    for (const [state, expected] of [
      ['pending', 404],
      ['infected', 404],
      ['clean', 200],
    ] as const) {
      await managerOf().update(File, { uuid: file }, { state });
      expect([state, (await session(address)).status]).toEqual([state, expected]);
    }
    const anyone = await fetch(`${panel.url}${address}`, { redirect: 'manual' });
    expect([anyone.status, anyone.headers.get('location')]).toEqual([302, '/admin/login']);
  });

  it('names the signed-in person in each version that it makes', async () => {
    const manager = managerOf();
    const session = await openSession();
    const post = async (address: string, fields: Record<string, unknown> = {}) => {
      const { status, text } = await session(`/admin/api/resources/${address}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(fields),
      });
      const body = JSON.parse(text);
      expect([address, status, body.record.errors]).toEqual([address, 200, {}]);
      return body.record.params;
    };
    const type = String(
      (await manager.query<{ id: number }[]>(`select id from field_types where name = 'select'`))[0]!.id,
    );
    const params = await post('forms/actions/new', { name: 'Named', slug: 'named' });
    const form = { id: Number(params.id) };
    const now = () => manager.findOneByOrFail(Form, form);
    expect((await now()).updatedBy).toBe(EMAIL);
    /** Each edit begins after a change that nobody has put a name to. */
    const edit = async (address: string, fields?: Record<string, unknown>) => {
      await manager.update(Form, form, { description: `Before version ${(await now()).version}` });
      const { version, updatedBy } = await now();
      expect(updatedBy).toBeNull();
      const changed = await post(address, fields);
      expect([address, await now()]).toEqual([
        address,
        expect.objectContaining({ version: version + 1, updatedBy: EMAIL }),
      ]);
      return changed;
    };

    await edit(`forms/records/${form.id}/addStep`, { title: 'One' });
    const { id: stepId } = await manager.findOneByOrFail(Step, { formId: form.id });
    await edit(`forms/records/${form.id}/addGroup`, { title: 'Expense' });
    const field = { formId: String(form.id), stepId: String(stepId), fieldTypeId: type };
    const { id: a } = await edit('fields/actions/new', { ...field, code: 'a', label: 'A' });
    const { id: b } = await edit('fields/actions/new', { ...field, code: 'b', label: 'B' });
    await edit(`fields/records/${b}/edit`, { label: 'Another' });
    await edit(`fields/records/${b}/edit`, { 'options.0.label': 'Yes', 'options.0.value': 'yes' });
    const condition = (action: string) => ({
      'conditions.0.action': action,
      'conditions.0.dependsOnFieldId': String(a),
      'conditions.0.operator': 'not_empty',
    });
    await edit(`fields/records/${b}/edit`, condition('require'));
    await edit(`fields/records/${b}/edit`, { 'rules.0.kind': 'max_length', 'rules.0.value': '9' });
    await edit(`steps/records/${stepId}/edit`, condition('hide'));
    const [{ id: entityId }] = await manager.query('select id from entities where form_id = $1', [form.id]);
    await edit(`entities/records/${entityId}/edit`, condition('show'));
    await edit(`fields/records/${b}/edit`, { retiredAt: 'now' });
    await edit(`field_types/records/${type}/edit`, { component: 'select-input-of-the-test' });
    await edit(`fields/records/${b}/delete`);
    expect(await manager.countBy(Condition, { formId: form.id })).toBe(2);
    expect(await manager.countBy(FieldRule, { fieldId: Number(b) })).toBe(0);
  });
});

describeInBrowser('the pages of the panel', () => {
  const { logIn } = usePanelPage(panel);

  async function save(page: PanelPage, form: string): Promise<void> {
    await page.press('Save');
    await page.heading(`${form} — Form`).waitFor();
  }

  it('make a new form strict, unless a person chooses otherwise', async () => {
    const page = await logIn();
    await page.open('New form', 'forms/actions/new');
    await page.fill({ Name: 'Contact' });
    await save(page, 'Contact');
    const stored = () => managerOf().findOneByOrFail(Form, { slug: 'contact' });
    const form = await stored();
    expect([form.completion, form.access]).toEqual(['strict', 'token']);

    for (const [choice, completion] of [
      ['Lenient', 'lenient'],
      ['Service default', null],
    ] as const) {
      await page.open('Edit form Contact', `forms/records/${form.id}/edit`);
      await page.page.getByRole('radio', { name: choice }).check();
      await save(page, 'Contact');
      expect((await stored()).completion).toBe(completion);
    }
    await page.open('Edit form Contact', `forms/records/${form.id}/edit`);
    await page.page.getByRole('radio', { name: 'Service default', checked: true }).waitFor();
  });

  it('offer accepted files and the largest size for file fields only, with a message for a wrong value', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      steps: [{ name: {}, cv: { type: 'file', label: 'CV' } }],
    });
    const page = await logIn();
    await page.open('Edit field name', `fields/records/${fields['name']!.id}/edit`);
    await page.property('meta').waitFor();
    expect(await page.input('Accepted files').count()).toBe(0);
    await page.page.getByRole('radio', { name: 'File' }).check();
    await page.input('Accepted files').waitFor();

    await page.open('Edit field CV', `fields/records/${fields['cv']!.id}/edit`);
    await page.fill({ 'Accepted files': 'PDF', 'Largest file': '2', 'Further data': '[]' });
    await page.press('Save');
    await page.property('accept').getByText('in lower case, separated by commas').waitFor();
    await page.fill({ 'Accepted files': 'application/pdf, .docx', 'Largest file': '25.1' });
    await page.press('Save');
    await page.property('maxBytes').getByText('at most 25 MB').waitFor();
    await page.fill({ 'Largest file': '2.5' });
    await page.press('Save');
    await page.property('meta').getByText('Enter a JSON object').waitFor();
    await page.fill({ 'Further data': '{"autocomplete": "off"}' });
    await save(page, form.name);
    expect(await managerOf().findOneBy(Field, { id: fields['cv']!.id })).toMatchObject({
      accept: 'application/pdf, .docx',
      maxBytes: 2_621_440,
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
    const sentences = page.page.getByTestId('conditions-in-words');
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
    // The ids of the fixture are higher than those of the panel, and the page sorts by id.
    const saved = 'Show if Colours is one of Red, Green and Needs a permit is Yes';
    await page.page.getByText(saved, { exact: true }).waitFor();
    const stored = await managerOf().find(Condition, { where: { fieldId: id }, order: { id: 'asc' } });
    expect(stored.map(({ action, operator, value }) => [action, operator, value])).toEqual([
      ['show', 'in', 'r,g'],
      ['hide', 'empty', ''],
      ['show', 'equals', 'y'],
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

  it('show a submission as the person who completed it saw it, and the file as a download', async () => {
    const { uuid, begun, completed } = await submissionOfOldVersion();
    const page = await logIn();
    await page.open('Submission', `submissions/records/${uuid}/show`);
    const sentence = `Begun in version ${begun}, completed in version ${completed}.`;
    await page.page.getByText(sentence, { exact: true }).waitFor();
    expect(completed).toBe(begun + 1);

    const rows = async (block: number) =>
      (await page.page.getByTestId(`answers-${block}`).getByRole('row').allInnerTexts()).map((row) =>
        row.split(/\s*\t\s*/).join(': '),
      );
    expect(await rows(1)).toEqual([
      'Step 1',
      'Colours: White',
      'Travel: Yes, by train',
      'Asked then: then',
      'Your CV: lebenslauf ü (1).pdf',
      'I agree: Yes',
      'Send me news: No',
      'Why not: Too far hidden at completion',
      'Asked before retired: before',
    ]);
    expect(await rows(2)).toEqual([
      'Expense',
      'No.: Amount: What for',
      '1: 3.20: ',
      '2: 12.50: Hotel',
      '3: ',
    ]);

    const [download] = await Promise.all([
      page.page.waitForEvent('download'),
      page.follow('lebenslauf ü (1).pdf'),
    ]);
    expect(download.suggestedFilename()).toBe('lebenslauf ü (1).pdf');
  });

  it('show a draft, and a version that was not kept, as the form is now', async () => {
    const { uuid, path, client, form, fields, completed } = await submissionOfOldVersion();
    const manager = managerOf();
    await manager.query('delete from form_versions where form_id = $1', [form.id]);
    const page = await logIn();
    await page.open('Submission', `submissions/records/${uuid}/show`);
    await page.page.getByText('The labels are those of today').waitFor();
    await page.page.getByText(`completed in version ${completed}`).waitFor();
    const row = (name: string) => page.page.getByRole('row', { name });
    await row('Do you travel today? Yes, today').waitFor();
    await row('Asked today retired then').waitFor();

    const draft = await createDraft(client, { form, fields, steps: [] });
    expect(draft.path).not.toBe(path);
    await client.post(`${draft.path}/values`, {
      values: [
        { field_code: 'travel', value: 'yes' },
        { field_code: 'agreed', value: 'perhaps' },
      ],
    });
    await page.open('Submission', `submissions/records/${draft.uuid}/show`);
    const version = await versionOf(form);
    await page.page
      .getByText(`Begun in version ${version}. The form is in version ${version} now.`)
      .waitFor();
    await row('Do you travel today? Yes, today').waitFor();
    await row('I agree perhaps').waitFor();
  });

  it('retire a field with values instead of deleting it, and use it again', async () => {
    const { form, fields } = await submissionOfOldVersion();
    const { id } = fields['travel']!;
    const schema = async () =>
      JSON.stringify((await use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`)).body.data);
    const session = await openSession();
    const address = `/admin/api/resources/fields/records/${id}/delete`;
    expect((await session(address, { method: 'POST' })).text).toContain('Retire it instead');
    expect(await managerOf().existsBy(Field, { id })).toBe(true);
    const page = await logIn();
    const change = async () => {
      await page.open('Edit', `fields/records/${id}/edit`);
      await page.page.getByText('Its stored values stay').waitFor();
      await page.input('Retire this field').press('Space');
      await page.press('Save');
      await page.heading(form.name).waitFor();
    };
    const retired = page.page.getByTestId('step-1').getByText('retired', { exact: true });

    await change();
    await retired.nth(2).waitFor();
    const version = await versionOf(form);
    await page.page.getByText(`Version ${version}, changed by ${EMAIL} on `).waitFor();
    expect((await managerOf().findOneByOrFail(Field, { id })).retiredAt).toBeInstanceOf(Date);
    expect(await schema()).not.toContain('"code":"travel"');

    await change();
    expect((await managerOf().findOneByOrFail(Field, { id })).retiredAt).toBeNull();
    expect(await schema()).toContain('"code":"travel"');
  });
});
