import { Condition, Field, FieldRule, File, Form, Option, Step } from '../../src/entities.js';
import { createDraft } from '../support/drafts.js';
import { filesFolder, PDF, storeFile } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { newUser, useService } from '../support/service.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { PanelPage } from './support/panel-page.js';
import { EMAIL, type PanelProcess, startPanel } from './support/panel-process.js';
import { openSession } from './support/panel-session.js';

const storage = filesFolder();
const use = useService({ FILES_URL: storage.url, COMPLETION_POLICY: 'strict' });
let panel: PanelProcess;

beforeAll(async () => {
  const variables = { FILES_URL: storage.url };
  panel = await startPanel(use.database.url, 'http://127.0.0.1:5173/', 'light', variables);
}, 300_000);
afterAll(async () => {
  await panel.stop();
  await storage.remove();
});

const managerOf = () => use.database.dataSource.manager;
const versionOf = async ({ id }: Pick<Form, 'id'>) =>
  (await managerOf().findOneByOrFail(Form, { id })).version;

/** Completes a submission, then changes the labels of the form, and retires a field. */
async function submissionOfOldVersion() {
  const built = await buildForm(use.database.dataSource, {
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

describeInBrowser('versions in the panel', () => {
  const browser = useBrowser();

  async function logIn(): Promise<PanelPage> {
    const page = new PanelPage(await browser.newPage(), panel.url);
    await page.logIn();
    return page;
  }

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

  it('retire a field and use it again on the page of the field', async () => {
    const { form, fields } = await submissionOfOldVersion();
    const { id } = fields['travel']!;
    const schema = async () =>
      JSON.stringify((await use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`)).body.data);
    const page = await logIn();
    const openForm = () => page.open(form.name, `forms/records/${form.id}/show`);
    const change = async () => {
      await page.open('Edit', `fields/records/${id}/edit`);
      await page.page.getByText('Its stored values stay').waitFor();
      await page.input('Retire this field').press('Space');
      await page.press('Save');
      await page.heading(form.name).waitFor();
    };
    const retired = page.page.getByTestId('step-1').getByText('retired', { exact: true });

    await openForm();
    await retired.first().waitFor();
    expect(await retired.count()).toBe(2);
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

describe('the panel', () => {
  it('sends only files of the submission that are uploaded and not infected, and only to people who are logged in', async () => {
    const { uuid, file } = await submissionOfOldVersion();
    const other = await submissionOfOldVersion();
    const address = `/admin/submissions/${uuid}/files/${file}`;
    const session = await openSession(panel.url);

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

  it('says that a field with values can be retired, when a person tries to delete it', async () => {
    const { fields } = await submissionOfOldVersion();
    const session = await openSession(panel.url);
    const { text } = await session(`/admin/api/resources/fields/records/${fields['travel']!.id}/delete`, {
      method: 'POST',
    });
    expect(text).toContain('Retire it instead');
    expect(await managerOf().existsBy(Field, { id: fields['travel']!.id })).toBe(true);
  });

  it('names the signed-in person in each version that it makes', async () => {
    const manager = managerOf();
    const session = await openSession(panel.url);
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

    await edit(`forms/records/${form.id}/edit`, { name: 'Renamed' });
    await edit(`forms/records/${form.id}/edit`, { 'steps.0.title': 'One', 'steps.0.isVisible': true });
    const { id: stepId } = await manager.findOneByOrFail(Step, { formId: form.id });
    await edit(`forms/records/${form.id}/edit`, {
      'entities.0.name': 'expense',
      'entities.0.label': 'Expense',
    });
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
