import { Field, Form, Submission } from '../../../src/entities.js';
import { createDraft } from '../../support/drafts.js';
import { type BuiltForm, buildForm, type FormPlan } from '../../support/forms.js';
import { newUser } from '../../support/service.js';
import { picture } from '../support/accessibility.js';
import { describeInBrowser } from '../support/chromium.js';
import type { PanelPage } from './support/panel-page.js';
import { usePanel, usePanelPage } from './support/use-panel.js';

const { use, panel, managerOf, openSession } = usePanel();
const { logIn } = usePanelPage(panel);

const referenceOf = (uuid: string) => uuid.slice(-8).toUpperCase().replace(/^..../, '$&-');
const rowOf = ({ page }: PanelPage, uuid: string) => page.locator(`tr[data-id="${uuid}"]`);
const openTable = (page: PanelPage, { form }: BuiltForm, more = '') =>
  page.open('Submissions', `submissions?filters.formId=${form.id}${more}`);
const isHeld = async (uuid: string) => (await managerOf().findOneByOrFail(Submission, { uuid })).held;

const PLAN: FormPlan = {
  steps: [
    {
      name: { label: 'Name', isPersonal: true },
      phone: { label: 'Phone', isPersonal: true },
      town: { label: 'Town' },
      guest: { label: 'Guest', isPersonal: true, isRepeatable: true },
      meal: { label: 'Meal', isRepeatable: true },
      intro: { label: 'Introduction', type: 'heading', isPersonal: true },
      old: { label: 'Old', isPersonal: true, retiredAt: new Date() },
    },
  ],
  entities: [{ name: 'visitor', label: 'Visitor', isRepeatable: true, of: ['guest', 'meal'] }],
};

/** Completes a submission with an answer to each question but the phone number. */
async function completed(built: BuiltForm): Promise<string> {
  const { client } = await newUser(use);
  const { uuid, path } = await createDraft(client, built);
  const { body } = await client.post(`${path}/records`, { entity: 'visitor' });
  const record = { entity_record_id: body.data.id };
  const stored = await client.post(`${path}/values`, {
    values: [
      { field_code: 'name', value: 'Ada' },
      { field_code: 'town', value: 'London' },
      { field_code: 'guest', value: 'Grace', ...record },
      { field_code: 'meal', value: 'Soup', ...record },
    ],
  });
  const patched = await client.patch(path, { status: 'completed' });
  expect([stored.status, patched.status]).toEqual([200, 200]);
  return uuid;
}

/** Deletes the personal answers of a submission, as a purge does. */
async function anonymize(uuid: string): Promise<void> {
  await managerOf().query(
    `delete from submission_values where submission_uuid = $1 and field_id in (select id from fields where is_personal)`,
    [uuid],
  );
  await managerOf().update(Submission, { uuid }, { anonymizedAt: new Date('2026-03-01T12:00:00Z') });
}

describeInBrowser('how long a form keeps submissions', () => {
  it('is in its settings, and on its page in words', async () => {
    const built = await buildForm(use.database.dataSource);
    const page = await logIn();
    const openForm = () => page.open(built.form.name, `forms/records/${built.form.id}/show`);
    await openForm();
    expect(await page.page.getByTestId('keeping').count()).toBe(0);
    await page.open('Edit form', `forms/records/${built.form.id}/edit`);
    await page.property('keepDraftsDays').getByText('Days from their last change').waitFor();
    await page.fill({ 'Keep completed submissions': '0', 'Keep drafts': '1', 'Keep personal answers': '90' });
    await page.press('Save');
    await page.property('keepCompletedDays').getByText('Enter a whole number from 1 to 36500').waitFor();
    await page.fill({ 'Keep completed submissions': '365' });
    await picture(page.page, 'keeping-settings');
    await page.press('Save');
    await page.heading(`${built.form.name} — Form`).waitFor();
    expect(await page.page.getByTestId('keeping').innerText()).toBe(
      'Completed submissions are kept for 365 days. Drafts are kept for 1 day. Personal answers are kept for 90 days.',
    );
    expect(await managerOf().findOneByOrFail(Form, { id: built.form.id })).toMatchObject({
      ...{ keepCompletedDays: 365, keepDraftsDays: 1, keepPersonalDays: 90 },
    });

    await managerOf().update(Form, built.form.id, { isActive: false });
    await page.open('Make it live', `forms/records/${built.form.id}/makeLive`);
    const finding = page.page.getByRole('listitem').filter({ hasText: 'no field is personal' });
    await finding.getByRole('link', { name: 'Keep personal answers' }).click();
    await page.heading('Edit form').waitFor();
    await page.fill({ 'Keep completed submissions': '', 'Keep drafts': '', 'Keep personal answers': '' });
    await page.press('Save');
    await page.heading(`${built.form.name} — Form`).waitFor();
    expect(await managerOf().findOneByOrFail(Form, { id: built.form.id })).toMatchObject({
      ...{ keepCompletedDays: null, keepDraftsDays: null, keepPersonalDays: null },
    });
  });

  it('is copied with the form, and so are the marks of personal questions', async () => {
    const form = { keepCompletedDays: 365, keepDraftsDays: 30, keepPersonalDays: 90 };
    const built = await buildForm(use.database.dataSource, { ...PLAN, form });
    const page = await logIn();
    await page.open('Copy', `forms/records/${built.form.id}/copy`);
    await page.press('Copy');
    await page.page.getByText('Copied. The copy is inactive.').waitFor();
    const copy = await managerOf().findOneByOrFail(Form, { slug: `${built.form.slug}-copy` });
    expect(copy).toMatchObject(form);
    const fields = await managerOf().findBy(Field, { formId: copy.id, isPersonal: true });
    expect(fields.map(({ code }) => code).sort()).toEqual(['guest', 'intro', 'name', 'old', 'phone']);
  });
});

describeInBrowser('a question with personal data', () => {
  it('is marked on its own page, on the page of its form and in the list of fields', async () => {
    const built = await buildForm(use.database.dataSource, {
      steps: [{ name: { label: 'Name' }, town: {} }],
    });
    const page = await logIn();
    await page.open(built.form.name, `forms/records/${built.form.id}/show`);
    const marks = page.page.getByTestId('step-1').getByText('personal', { exact: true });
    expect(await marks.count()).toBe(0);
    await page.follow('Name');
    await page.heading('Edit field Name').waitFor();
    await page.property('isPersonal').getByText('exports can leave them out').waitFor();
    await page.tick('Personal data');
    await page.press('Save');
    await page.heading(`${built.form.name} — Form`).waitFor();
    await marks.waitFor();
    const isPersonal = { formId: built.form.id, isPersonal: true };
    expect(await managerOf().findBy(Field, isPersonal)).toMatchObject([{ code: 'name' }]);

    await page.open('Fields', `fields?filters.formId=${built.form.id}&filters.isPersonal=true`);
    await page.page.getByRole('cell', { name: 'Name', exact: true }).waitFor();
    expect(await page.page.getByRole('cell', { name: 'town' }).count()).toBe(0);
    await page.page.getByRole('link', { name: 'Personal data' }).waitFor();
  });

  it('says on the page of a submission, and in the table, that its answer was deleted', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    const [kept, deleted] = [await completed(built), await completed(built)];
    await anonymize(deleted);
    const page = await logIn();
    const rows = async (block: number) =>
      (await page.page.getByTestId(`answers-${block}`).getByRole('row').allInnerTexts()).map((row) =>
        row.split(/\s*\t\s*/).join(': '),
      );
    await page.open('Submission', `submissions/records/${kept}/show`);
    await page.page.getByTestId('answers-1').waitFor();
    expect(await page.page.getByText('Personal answers were deleted').count()).toBe(0);
    expect(await rows(1)).toEqual(['Step 1', 'Name personal: Ada', 'Town: London']);
    expect(await rows(2)).toEqual(['Visitor', 'No.: Guest personal: Meal', '1: Grace: Soup']);

    await page.open('Submission', `submissions/records/${deleted}/show`);
    await page.page.getByText(/^Personal answers were deleted on .*2026/).waitFor();
    expect(await rows(1)).toEqual([
      ...['Step 1', 'Name personal: deleted', 'Phone personal: deleted', 'Town: London'],
    ]);
    expect(await rows(2)).toEqual(['Visitor', 'No.: Guest personal: Meal', '1: deleted: Soup']);
    await picture(page.page, 'keeping-deleted');

    // Without the kept version, the page shows the questions of today.
    await managerOf().query('delete from form_versions where form_id = $1', [built.form.id]);
    await page.page.reload();
    await page.page.getByText('The labels are those of today').waitFor();
    expect(await rows(1)).toEqual([
      ...['Step 1', 'Name personal: deleted', 'Phone personal: deleted', 'Town: London'],
    ]);
    expect(await rows(2)).toEqual(['Visitor', 'No.: Guest personal: Meal', '1: deleted: Soup']);

    await openTable(page, built);
    const status = { name: /^completed, personal answers deleted on .*2026/ };
    await rowOf(page, deleted).getByRole('cell', status).waitFor();
    const gone = rowOf(page, deleted).getByRole('cell', { name: '(deleted)', exact: true });
    expect(await gone.count()).toBe(3);
    await rowOf(page, deleted).getByRole('cell', { name: 'London' }).waitFor();
    await rowOf(page, kept).getByRole('cell', { name: 'completed', exact: true }).waitFor();
    expect(await rowOf(page, kept).getByText('(deleted)').count()).toBe(0);
    await page.page.getByRole('columnheader', { name: 'Name personal' }).waitFor();
    await picture(page.page, 'keeping-table');
  });
});

describeInBrowser('a submission', () => {
  it('can be held and released, which changes nothing else of it', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    const [uuid, other] = [await completed(built), await completed(built)];
    const rowIn = async () => {
      const [row] = await managerOf().query<object[]>('select * from submissions where uuid = $1', [uuid]);
      return row;
    };
    const before = await rowIn();
    const page = await logIn();
    await page.open('Submission', `submissions/records/${uuid}/show`);
    await page.press('Hold');
    await page.page.getByText('The submission is held.', { exact: true }).waitFor();
    await page.page.getByText('until you release it').waitFor();
    expect(await rowIn()).toEqual({ ...before, held: true });
    await picture(page.page, 'keeping-held');

    await openTable(page, built, '&held=true');
    await rowOf(page, uuid).getByText('held', { exact: true }).waitFor();
    expect(await rowOf(page, other).count()).toBe(0);
    expect(await page.page.getByRole('link', { name: 'Export these as CSV' }).count()).toBe(0);
    await page.press('Clear filters');
    await rowOf(page, other).waitFor();
    expect(await rowOf(page, other).getByText('held', { exact: true }).count()).toBe(0);

    await page.follow(referenceOf(uuid));
    await page.press('Release');
    await page.page.getByText('The submission is no longer held.').waitFor();
    await page.page.getByRole('button', { name: 'Hold', exact: true }).waitFor();
    expect(await rowIn()).toEqual(before);
  });

  it('cannot be deleted while it is held, alone or with others', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    const [uuid, other] = [await completed(built), await completed(built)];
    await managerOf().update(Submission, { uuid }, { held: true });
    const page = await logIn();
    const why = `Nothing is changed, because the submission ${referenceOf(uuid)} is held.`;
    await openTable(page, built);
    await page.page.getByLabel(`Select ${referenceOf(uuid)}`).check();
    await page.page.getByLabel(`Select ${referenceOf(other)}`).check();
    await page.press('Delete 2 submissions');
    await page.press('Delete for good');
    await page.page.getByText(why).waitFor();
    await page.open('Submission', `submissions/records/${uuid}/show`);
    await page.follow('Delete');
    await page.press('Confirm');
    await page.page.getByText(why).waitFor();
    expect(await managerOf().countBy(Submission, { formId: built.form.id })).toBe(2);

    await page.press('Release');
    await page.page.getByText('The submission is no longer held.').waitFor();
    await page.follow('Delete');
    await page.press('Confirm');
    await page.page.getByText('The submission is deleted.').waitFor();
    expect(await managerOf().countBy(Submission, { formId: built.form.id })).toBe(1);
  });
});

describe('a request that holds or releases a submission', () => {
  it('is a POST of somebody who has logged in; a GET changes nothing', async () => {
    const uuid = await completed(await buildForm(use.database.dataSource, PLAN));
    const session = await openSession();
    const address = (action: string) => `/admin/api/resources/submissions/records/${uuid}/${action}`;
    expect((await session(address('hold'))).status).toBe(200);
    const anyone = await fetch(panel.url + address('hold'), { method: 'POST', redirect: 'manual' });
    expect([anyone.status, await isHeld(uuid)]).toEqual([302, false]);
    expect((await session(address('hold'), { method: 'POST' })).status).toBe(200);
    await session(address('release'));
    expect(await isHeld(uuid)).toBe(true);
    await session(address('release'), { method: 'POST' });
    expect(await isHeld(uuid)).toBe(false);
  });
});

it('prepared changes stay while a test of their copy is held', async () => {
  const built = await buildForm(use.database.dataSource);
  const session = await openSession();
  const act = async (id: number, action: string, data: object = {}) => {
    const { status, text } = await session(`/admin/api/resources/forms/records/${id}/${action}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(data),
    });
    return { status, body: JSON.parse(text) };
  };
  const copyId = Number(/\d+/.exec((await act(built.form.id, 'prepare')).body.redirectUrl)![0]);
  const { id: userId } = await newUser(use);
  const uuid = '019ac000-0000-7000-8000-0000abcd1234';
  await managerOf().insert(Submission, { uuid, formId: copyId, userId, isTest: true, held: true });
  const { version } = await managerOf().findOneByOrFail(Form, { id: copyId });
  for (const action of ['publish', 'discard'])
    expect(await act(copyId, action, { version })).toMatchObject({
      status: 409,
      body: {
        message:
          'Nothing is changed, because the submission ABCD-1234 is held. Release it on its page first.',
      },
    });
  await managerOf().update(Submission, { uuid }, { held: false });
  expect((await act(copyId, 'discard')).status).toBe(200);
  expect(await managerOf().existsBy(Submission, { uuid })).toBe(false);
});
