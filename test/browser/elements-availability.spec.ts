import type { Page } from 'playwright-core';
import type { Form } from '../../src/entities.js';
import { type BuiltForm, buildForm, type FieldPlan } from '../support/forms.js';
import { newUser } from '../support/service.js';
import { expectUsable } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { expectFocus } from './support/focus.js';
import {
  heading,
  press,
  REFUSED,
  saved,
  status,
  summaryOn,
  told,
  useElement,
} from './support/use-element.js';

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR);

const WORKSHOPS = ['pottery', 'weaving', 'origami'];
const STEPS: Record<string, FieldPlan>[] = [
  {
    name: { label: 'Name' },
    workshop: { label: 'Workshop', type: 'radio', options: WORKSHOPS },
    extras: { label: 'Extras', type: 'checkbox', options: ['lunch', 'tour'] },
    room: { label: 'Room', type: 'select', options: ['single', 'double'] },
  },
];

describeInBrowser('<formtrail-form> with opening times, limits and places', () => {
  const { use, browser, open, query } = useElement();

  const publicForm = (form: Partial<Form> = {}) =>
    buildForm(use.database.dataSource, {
      form: { access: 'public', name: 'Summer school', ...form },
      steps: STEPS,
    });
  const setForm = ({ form }: BuiltForm, sql: string) =>
    use.service.hearing(() => query(`update forms set ${sql} where id = $1`, form.id));
  const setPlaces = ({ form }: BuiltForm, places: Readonly<Record<string, number>>) =>
    use.service.hearing(() =>
      query(
        `update options set places = ($2::jsonb->>value)::int from fields where fields.id = field_id and form_id = $1`,
        form.id,
        JSON.stringify(places),
      ),
    );
  /** Completes a submission of somebody else. */
  async function takePlace({ form }: BuiltForm, workshop = 'origami'): Promise<void> {
    const { client } = await newUser(use);
    const { body } = await client.post('/api/v1/submissions', { form_uuid: form.uuid });
    const path = `/api/v1/submissions/${body.data.uuid}`;
    await client.post(`${path}/values`, { values: [{ field_code: 'workshop', value: workshop }] });
    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
  }
  const option = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  const moment = (page: Page, at: Date) =>
    page.evaluate<string>(
      `new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' }).format(${at.getTime()})`,
    );
  const submissionsOf = async ({ form }: BuiltForm) =>
    query('select status, is_test from submissions where form_id = $1', form.id);

  it.each<['opens' | 'closed', Partial<Form>, Date]>(
    [inHours(1), inHours(-1)].map((at, index) =>
      index === 0 ? ['opens', { opensAt: at }, at] : ['closed', { closesAt: at }, at],
    ),
  )('says that the form %s, instead of the questions, and begins nothing', async (word, plan, at) => {
    const built = await publicForm(plan);
    const page = await open(built.form.slug, { timezoneId: 'Asia/Tokyo' });
    await heading(page, 'Summer school').waitFor();
    const sentence = `This form ${word} on ${await moment(page, at)}.`;
    await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Submit' }).count()).toBe(0);
    expect(await told(page)).toEqual([]);
    expect(await submissionsOf(built)).toEqual([]);
    await expectUsable(page, `element-${word}`, 320);
  });

  it('says that the form is full, also if its last place goes before the first answer is saved', async () => {
    const built = await publicForm({ maxSubmissions: 1 });
    browser.forgive(REFUSED);
    const page = await open(built.form.slug);
    await page.getByLabel('Name').waitFor();
    await takePlace(built);
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('alert').filter({ hasText: 'This form is full.' }).waitFor();
    await expectFocus(heading(page, 'Summer school'));
    // The answer can be read.
    await page.getByRole('definition').filter({ hasText: 'Ada' }).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    const other = await open(built.form.slug);
    await other.getByText('This form is full.').waitFor();
    expect(await other.getByRole('definition').count()).toBe(0);
    expect(await submissionsOf(built)).toEqual([{ status: 'completed', is_test: false }]);
  });

  it('says that the person has answered the form already', async () => {
    const built = await publicForm({ maxPerUser: 1 });
    const page = await open(built.form.slug);
    await page.getByLabel('Name').fill('Ada');
    await press(page, 'Submit');
    await heading(page, 'Thank you').waitFor();
    await page.reload();
    await page.getByText('You have answered this form already.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
  });

  it('shows a draft of a closed form to read, and says that the form is closed', async () => {
    const built = await publicForm({ closesAt: inHours(1), closesDrafts: true });
    const page = await open(built.form.slug);
    await page.getByLabel('Name').fill('Ada');
    await saved(page);
    await setForm(built, 'closes_at = now()');
    await page.reload();
    await page.getByText(/^This form closed on /).waitFor();
    await page.getByRole('definition').filter({ hasText: 'Ada' }).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Continue with a code']);
  });

  it('shows options without places as taken, which nobody can choose by mouse or keyboard', async () => {
    const built = await publicForm();
    await setPlaces(built, { pottery: 0, weaving: 5, origami: 6, lunch: 0, single: 0, double: 1 });
    const page = await open(built.form.slug);
    const taken = option(page, 'pottery (no places left)');
    await taken.waitFor();
    expect(await option(page, 'weaving (5 places left)').count()).toBe(1);
    expect(await option(page, 'origami').count()).toBe(1);
    const lunch = option(page, 'lunch (no places left)');
    for (const input of [taken, lunch]) expect(await input.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('pottery').click({ force: true });
    await lunch.focus();
    await page.keyboard.press('Space');
    // Arrow keys choose radio buttons.
    await option(page, 'weaving (5 places left)').check();
    await page.keyboard.press('ArrowUp');
    expect(await Promise.all([taken, lunch].map((input) => input.isChecked()))).toEqual([false, false]);
    expect(await option(page, 'weaving (5 places left)').isChecked()).toBe(true);
    const rooms = page.getByLabel('Room').getByRole('option');
    expect(await rooms.allInnerTexts()).toEqual([
      ...['Choose one', 'single (no places left)', 'double (1 place left)'],
    ]);
    expect(await rooms.nth(1).isDisabled()).toBe(true);
    expect(await rooms.nth(2).isDisabled()).toBe(false);
    await expectUsable(page, 'element-places', 320);
    await press(page, 'Submit');
    await heading(page, 'Thank you').waitFor();
    const values = await query(
      `select value from submission_values join submissions on uuid = submission_uuid where submissions.form_id = $1`,
      built.form.id,
    );
    expect(values).toEqual([{ value: 'weaving' }]);
  });

  it('marks the option that loses its last place at completion, and keeps the other answers', async () => {
    const built = await publicForm();
    await setPlaces(built, { pottery: 1 });
    browser.forgive(REFUSED);
    const page = await open(built.form.slug);
    await page.getByLabel('Name').fill('Ada');
    await option(page, 'pottery (1 place left)').check();
    await saved(page);
    await takePlace(built, 'pottery');
    await press(page, 'Submit');
    const sentence = 'No places are left for “pottery”. Choose another option.';
    await summaryOn(page)
      .getByRole('link', { name: `Workshop: ${sentence}` })
      .click();
    const taken = option(page, 'pottery (no places left)');
    await expectFocus(taken);
    expect(await taken.isChecked()).toBe(true);
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    // The chosen option can be unchosen, but not chosen again.
    await press(page, 'Clear the choice (Workshop)');
    await status(page, 'Saved');
    await page.getByText('pottery').click({ force: true });
    expect(await taken.isChecked()).toBe(false);
    await option(page, 'weaving').check();
    await press(page, 'Submit');
    await heading(page, 'Thank you').waitFor();
  });
});
