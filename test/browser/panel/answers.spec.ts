import { AuditEntry, Submission } from '../../../src/entities.js';
import { createDraft } from '../../support/drafts.js';
import { eventually } from '../../support/eventually.js';
import { type BuiltForm, buildForm } from '../../support/forms.js';
import { newUser } from '../../support/service.js';
import { asAnotherProgram } from '../../support/test-server.js';
import type { PanelPage } from './support/panel-page.js';
import { EMAIL } from './support/panel-process.js';
import { usePanel, usePanelPage } from './support/use-panel.js';

const { use, panel, managerOf, openSession } = usePanel();
const { browser, logIn } = usePanelPage(panel);

const referenceOf = (uuid: string) => uuid.slice(-8).toUpperCase().replace(/^..../, '$&-');

/** A form of five questions with one completed submission for each name, in this order, and one draft. */
async function answered(...names: string[]) {
  const built = await buildForm(use.database.dataSource, {
    steps: [
      {
        name: { label: 'Name' },
        colours: { label: 'Colours', type: 'checkbox', options: ['red', 'dark red', 'blue'] },
        size: { label: 'Size' },
        town: { label: 'Town' },
        comment: { label: 'Comment' },
      },
    ],
  });
  const { client } = await newUser(use);
  const uuids: string[] = [];
  for (const [index, name] of [...names, 'Not yet'].entries()) {
    const { uuid, path } = await createDraft(client, built);
    const colours = index % 2 === 0 ? 'red' : 'dark red,blue';
    const values = Object.entries({ name, colours, comment: `About ${name}` });
    await client.post(`${path}/values`, {
      values: values.map(([field_code, value]) => ({ field_code, value })),
    });
    if (index < names.length) await client.patch(path, { status: 'completed' });
    uuids.push(uuid);
  }
  return { ...built, uuids };
}

const rowsOf = ({ page }: PanelPage) => page.locator('tr[data-id]');
const open = (page: PanelPage, { form }: BuiltForm, more = '') =>
  page.open('Submissions', `submissions?filters.formId=${form.id}${more}`);

/** Waits until the table has these rows, in this order. */
async function expectRows(page: PanelPage, uuids: readonly string[]): Promise<void> {
  await eventually(`the rows ${uuids.join()}`, async () => {
    const shown = await rowsOf(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')));
    return shown.join() === uuids.join() || undefined;
  });
}

describe('the table of answers', () => {
  it('has labels without the marks of Markdown, and so has the page of a submission, with a reference to copy', async () => {
    const built = await buildForm(use.database.dataSource, {
      form: { name: 'Marked' },
      steps: [{ name: { label: 'Your **name** in [full](https://example.org)' } }],
    });
    const { client } = await newUser(use);
    const { uuid, path } = await createDraft(client, built);
    await client.post(`${path}/values`, { values: [{ field_code: 'name', value: '**Ada**' }] });
    const page = await logIn();
    await open(page, built);
    await page.page.getByRole('columnheader', { name: 'Your name in full', exact: true }).waitFor();
    await page.page.getByRole('cell', { name: '**Ada**', exact: true }).waitFor();
    await page.follow(referenceOf(uuid));
    await page.page.getByRole('cell', { name: 'Your name in full', exact: true }).waitFor();
    await page.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.press('Copy: Reference');
    await page.page.getByText('Copied.').waitFor();
    expect(await page.page.evaluate<string>('navigator.clipboard.readText()')).toBe(referenceOf(uuid));
    await page.open('Marked', `forms/records/${built.form.id}/show`);
    await page.follow('Your name in full');
    await page.heading('Edit field Your name in full').waitFor();
    expect(await page.input('Label').inputValue()).toBe('Your **name** in [full](https://example.org)');
  });

  it('has the first questions, or those that a person has chosen, which the browser remembers', async () => {
    const built = await answered('Ada');
    const page = await logIn();
    await open(page, built);
    const headers = page.page.getByRole('columnheader');
    await page.page.getByRole('cell', { name: 'Ada', exact: true }).waitFor();
    const own = ['', 'Reference', 'Status', 'Completed or changed'];
    expect(await headers.allInnerTexts()).toEqual([...own, 'Name', 'Colours', 'Size', 'Town', 'By']);
    const row = rowsOf(page).last();
    await row.getByRole('link', { name: referenceOf(built.uuids[0]!) }).waitFor();
    // The time, with its time zone.
    expect(await row.getByText(/\d{4}, \d\d:\d\d.* (UTC|GMT|[A-Z]{3,4})/).count()).toBeGreaterThan(0);

    await page.page.getByText('Columns (4 of 5)').click();
    await page.page.getByLabel('Size').uncheck();
    await page.page.getByText('Columns (3 of 5)').waitFor();
    await page.page.getByLabel('Comment').check();
    await page.page.getByRole('cell', { name: 'About Ada' }).waitFor();
    await page.page.reload();
    await page.page.getByRole('cell', { name: 'About Ada' }).waitFor();
    expect(await headers.allInnerTexts()).toEqual([...own, 'Name', 'Colours', 'Town', 'Comment', 'By']);
  });

  it('can be filtered by answer, reference, status and day', async () => {
    const built = await answered('Ada', 'Grace', 'adamant');
    const [ada, grace, adamant, draft] = built.uuids as [string, string, string, string];
    await use.database.dataSource.query(
      `update submissions set completed_at = '2026-03-01 12:00:00+00' where uuid = $1`,
      [grace],
    );
    const page = await logIn();
    await open(page, built);
    await expectRows(page, [draft, adamant, grace, ada]);
    const filter = async (
      texts: Readonly<Record<string, string>>,
      choices: Readonly<Record<string, string>>,
    ) => {
      await open(page, built);
      await page.page.getByText('More filters').click();
      await page.fill(texts);
      for (const [label, choice] of Object.entries(choices))
        await page.page.getByLabel(label, { exact: true }).selectOption({ label: choice });
      await page.press('Filter');
    };

    await filter({ 'Text of the answer': 'ada' }, { Question: 'Name' });
    await expectRows(page, [adamant, ada]);
    expect(await page.page.getByRole('link', { name: 'Export these as CSV' }).count()).toBe(0);
    await filter({ 'Text of the answer': 'ADA' }, { Question: 'Name', Answer: 'is exactly' });
    await expectRows(page, [ada]);
    // "red" is not the option "dark red".
    await filter({ 'Text of the answer': 'red' }, { Question: 'Colours', Answer: 'is exactly' });
    await expectRows(page, [adamant, ada]);
    await filter({ Reference: referenceOf(grace).toLowerCase() }, {});
    await expectRows(page, [grace]);
    await filter({}, { Status: 'draft' });
    await expectRows(page, [draft]);
    await filter({ From: '2026-02-28', To$: '2026-03-02' }, {});
    await expectRows(page, [grace]);
    await page.press('Clear filters');
    await expectRows(page, [draft, adamant, grace, ada]);
    browser.forgive(/status of 400/);
    await filter({ Reference: 'wrong' }, {});
    await page.page.getByRole('alert').getByText('A reference has eight letters and digits').waitFor();
  });

  it('has pages of 25, which begin after the last submission of the page before', async () => {
    const built = await buildForm(use.database.dataSource);
    const { id: userId } = await newUser(use);
    const inserted = await use.database.dataSource.query<{ uuid: string }[]>(
      `insert into submissions (uuid, form_id, user_id)
       select ('019ac000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, $2 from generate_series(1, 30) n
       returning uuid`,
      [built.form.id, userId],
    );
    const uuids = inserted.map(({ uuid }) => uuid).toReversed();
    const page = await logIn();
    await open(page, built);
    await expectRows(page, uuids.slice(0, 25));
    await page.press('Older');
    await expectRows(page, uuids.slice(25));
    expect(await page.page.getByRole('button', { name: 'Older' }).count()).toBe(0);
    await page.press('Newest');
    await expectRows(page, uuids.slice(0, 25));
  });

  it('has status, time and answers in one cell on a narrow screen, which does not scroll sideways', async () => {
    const built = await answered('Ada');
    const page = await logIn(390);
    await open(page, built);
    await rowsOf(page).last().getByText('completed ·').waitFor();
    await rowsOf(page).last().getByText('Name Ada').waitFor();
    expect(await page.page.getByRole('columnheader').count()).toBe(2);
    const { scrollWidth, clientWidth } = await page.page
      .getByRole('region', { name: 'Submissions' })
      .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  });

  it('says so if a search takes too long', async () => {
    const built = await answered('Ada');
    const session = await openSession();
    const search = `form=${built.form.id}&field=${built.fields['name']!.id}&answer=Ada`;
    await asAnotherProgram(use.database.connection, async (client) => {
      await client.query('begin; lock table submission_values in access exclusive mode');
      const { status, text } = await session(`/admin/api/resources/submissions/actions/answers?${search}`);
      await client.query('rollback');
      expect([status, JSON.parse(text).message]).toEqual([
        422,
        'The search took longer than 5 seconds. Choose a form, a status or fewer days, then try again.',
      ]);
    });
  });

  it.each([
    'form=x',
    'columns=1,a',
    'from=yesterday',
    'status=done',
    'before=1',
    'form=1&form=2',
    'reference=%00',
  ])('is 400 for wrong parameters: %s', async (query) => {
    const session = await openSession();
    expect((await session(`/admin/api/resources/submissions/actions/answers?${query}`)).status).toBe(400);
  });
});

describe('a person who deletes submissions', () => {
  it('selects them, or opens one, and confirms; the audit log names the person', async () => {
    const built = await answered('Ada', 'Grace', 'Alan');
    const [ada, grace, alan, draft] = built.uuids as [string, string, string, string];
    const page = await logIn();
    await open(page, built);
    await page.page.getByLabel(`Select ${referenceOf(ada)}`).check();
    await page.page.getByLabel(`Select ${referenceOf(draft)}`).check();
    await page.press('Delete 2 submissions');
    await page.press('Keep them');
    expect(await managerOf().countBy(Submission, { formId: built.form.id })).toBe(4);
    await page.press('Delete 2 submissions');
    await page.press('Delete for good');
    await page.page.getByText('2 submissions are deleted.').waitFor();
    await expectRows(page, [alan, grace]);

    await page.page.getByRole('link', { name: referenceOf(grace) }).click();
    expect(await page.input('Reference').inputValue()).toBe(referenceOf(grace));
    await page.follow('Delete');
    await page.page.getByText('Only a backup can bring it back.').waitFor();
    await page.press('Confirm');
    await page.page.getByText('The submission is deleted.').waitFor();
    const left = await managerOf().findBy(Submission, { formId: built.form.id });
    expect(left.map(({ uuid }) => uuid)).toEqual([alan]);
    const acts = await managerOf().findBy(AuditEntry, { action: 'submissions.deleted', actor: EMAIL });
    const subjects = acts.map(({ subject }) => subject);
    expect(subjects).toEqual(expect.arrayContaining([ada, draft, grace].map((uuid) => `submission:${uuid}`)));
  });
});

describe('an export of what is filtered', () => {
  it('has the submissions of a status and of some days, with the time of completion', async () => {
    const built = await answered('Ada', 'Grace');
    const [ada, grace] = built.uuids as [string, string];
    await use.database.dataSource.query(
      `update submissions set completed_at = '2026-03-01 12:00:00+00' where uuid = $1`,
      [grace],
    );
    const session = await openSession();
    const exported = (query: string) => session(`/admin/export/${built.form.slug}.ndjson?${query}`);
    const uuidsOf = async (query: string) =>
      (await exported(query)).text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).uuid as string);
    expect(await uuidsOf('status=completed')).toEqual([ada, grace]);
    const days = 'from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z';
    expect(await uuidsOf(`status=completed&${days}`)).toEqual([grace]);
    expect((await exported('status=done')).status).toBe(400);

    const page = await logIn();
    await open(page, built, '&status=completed&from=2026-03-01&to=2026-03-01');
    const [file] = await Promise.all([
      page.page.waitForEvent('download'),
      page.follow('Export these as CSV'),
    ]);
    const csv = (await (await file.createReadStream()).toArray()).join('');
    expect(csv).toContain('2026-03-01T12:00:00.000000Z');
    expect(csv).not.toContain(ada);
  });
});
