import { Form, Option } from '../../../src/entities.js';
import { complete, store } from '../../support/draft-requests.js';
import { createDraft } from '../../support/drafts.js';
import { type BuiltForm, buildForm, type FieldPlan } from '../../support/forms.js';
import { newUser } from '../../support/service.js';
import { picture } from '../support/accessibility.js';
import { describeInBrowser } from '../support/chromium.js';
import { Inputs, type PanelPage } from './support/panel-page.js';
import { usePanel, usePanelPage } from './support/use-panel.js';

const { use, panel, managerOf } = usePanel();
const { logIn } = usePanelPage(panel);

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR);
const CHOICE: FieldPlan = { type: 'radio', label: 'Workshop', options: ['Poetry', 'Prose'] };

const stored = ({ form: { id } }: Pick<BuiltForm, 'form'>) => managerOf().findOneByOrFail(Form, { id });

/** Completes a submission that chooses the workshop, and returns its UUID. */
async function answer(built: BuiltForm, workshop: string): Promise<string> {
  const { client } = await newUser(use);
  const draft = { client, ...(await createDraft(client, built)) };
  await store(draft, { workshop });
  expect((await complete(draft)).status).toBe(200);
  return draft.uuid;
}

async function openForm(page: PanelPage, { form }: Pick<BuiltForm, 'form'>): Promise<void> {
  await page.open(form.name, `forms/records/${form.id}/show`);
}

const limitsOn = ({ page }: PanelPage) => page.getByTestId('limits').innerText();

describeInBrowser('the opening times of a form', () => {
  it('are typed in the time zone of the browser, and shown in that of the form', async () => {
    const built = await buildForm(use.database.dataSource, { form: { timeZone: 'Europe/Berlin' } });
    const page = await logIn(1280, { timezoneId: 'America/New_York' });
    await page.open('Edit form', `forms/records/${built.form.id}/edit`);
    await page.input('Opens').fill('2999-06-01T03:00');
    const zones = 'In your time zone, America/New_York. For the form: Jun 1, 2999, 09:00 AM (Europe/Berlin)';
    await page.property('opensAt').getByText(zones).waitFor();
    await page.input('Closes').fill('2999-06-01T02:59');
    await page.press('Save');
    await page.property('closesAt').getByText('Choose a time after the one at “Opens”.').waitFor();
    await picture(page.page, 'limits-settings');
    await page.input('Closes').fill('2999-07-01T00:00');
    await page.tick('Close drafts, too');
    await page.press('Save');
    await page.heading(`${built.form.name} — Form`).waitFor();
    expect(await stored(built)).toMatchObject({
      ...{ opensAt: new Date('2999-06-01T07:00:00Z'), closesAt: new Date('2999-07-01T04:00:00Z') },
      closesDrafts: true,
    });
    expect(await limitsOn(page)).toBe(
      'Opens Jun 1, 2999, 09:00 AM (Europe/Berlin). Closes Jul 1, 2999, 06:00 AM (Europe/Berlin), for drafts too.',
    );
    await page.page.getByText('Not open yet', { exact: true }).waitFor();

    await page.open('Edit form', `forms/records/${built.form.id}/edit`);
    expect(await page.input('Opens').inputValue()).toBe('2999-06-01T03:00');
    await page.input('Opens').fill('');
    await page.press('Save');
    await page.heading(`${built.form.name} — Form`).waitFor();
    expect(await stored(built)).toMatchObject({ opensAt: null, closesAt: new Date('2999-07-01T04:00:00Z') });
  });

  it('keep their seconds if a person changes something else', async () => {
    const [opensAt, closesAt] = [new Date('2999-06-01T07:00:30.5Z'), new Date('2999-12-31T23:59:59Z')];
    const built = await buildForm(use.database.dataSource, { form: { opensAt, closesAt } });
    const page = await logIn(1280, { timezoneId: 'Asia/Kathmandu' });
    await page.open('Edit form', `forms/records/${built.form.id}/edit`);
    expect(await page.input('Opens').inputValue()).toBe('2999-06-01T12:45:30.5');
    await page.fill({ Name: 'Renamed' });
    await page.press('Save');
    await page.heading('Renamed — Form').waitFor();
    expect(await stored(built)).toMatchObject({ opensAt, closesAt });
    expect(await limitsOn(page)).toMatch(/^Opens Jun 1, 2999, 12:45 PM GMT\+5:45\. Closes Jan 1, 3000, /);
  });
});

describeInBrowser('the limits of a form', () => {
  it('have messages for wrong numbers, and count what is there, also after a submission is deleted', async () => {
    const built = await buildForm(use.database.dataSource, { steps: [{ workshop: CHOICE }] });
    const uuid = await answer(built, 'Poetry');
    const page = await logIn();
    await page.open('Edit form', `forms/records/${built.form.id}/edit`);
    await page.fill({ 'Most submissions in all': '0', 'Most submissions a person': '1' });
    await page.press('Save');
    await page.property('maxSubmissions').getByText('Enter a whole number from 1').waitFor();
    await page.fill({ 'Most submissions in all': '2', 'Most submissions a person': '0' });
    await page.press('Save');
    await page.property('maxPerUser').getByText('Enter a whole number from 1').waitFor();
    await page.fill({ 'Most submissions a person': '1' });
    await page.press('Save');
    await page.heading(`${built.form.name} — Form`).waitFor();
    expect(await limitsOn(page)).toBe('1 of 2 submissions completed. At most 1 a person.');

    await page.follow('Workshop');
    const first = new Inputs(page.row('Option', 1));
    await first.fill({ Places: '-1' });
    await page.press('Save');
    await page.row('Option', 1).getByText('Enter a whole number from 0').waitFor();
    await first.fill({ Places: '1' });
    await new Inputs(page.row('Option', 2)).fill({ Places: '4' });
    await picture(page.page, 'limits-places');
    await page.press('Save');
    await page.heading(`${built.form.name} — Form`).waitFor();
    const places = page.page.getByTestId('step-1').getByText(/^Places taken: /);
    expect(await places.innerText()).toBe('Places taken: Poetry 1 of 1 (full), Prose 0 of 4');

    await answer(built, 'Prose');
    await openForm(page, built);
    expect([await limitsOn(page), await places.innerText()]).toEqual([
      '2 of 2 submissions completed. At most 1 a person.',
      'Places taken: Poetry 1 of 1 (full), Prose 1 of 4',
    ]);
    await page.page.getByText('Full', { exact: true }).waitFor();
    await picture(page.page, 'limits-full');

    await page.open('Submission', `submissions/records/${uuid}/show`);
    await page.follow('Delete');
    await page.press('Confirm');
    await page.page.getByText('The submission is deleted.').waitFor();
    await openForm(page, built);
    expect([await limitsOn(page), await places.innerText()]).toEqual([
      '1 of 2 submissions completed. At most 1 a person.',
      'Places taken: Poetry 0 of 1, Prose 1 of 4',
    ]);
    expect(await page.page.getByText('Full', { exact: true }).count()).toBe(0);
  });

  it('have places only for choices, and for other fields only while an option has some', async () => {
    const built = await buildForm(use.database.dataSource, {
      steps: [
        {
          ...Object.fromEntries(['select', 'radio', 'checkbox'].map((type) => [type, { ...CHOICE, type }])),
          text: { type: 'text', options: ['a', 'b'] },
        },
      ],
    });
    const page = await logIn();
    const openField = async (code: string) => {
      await page.open('Edit field', `fields/records/${built.fields[code]!.id}/edit`);
      await page.row('Option', 2).waitFor();
      return page.input('Places');
    };
    for (const code of ['select', 'radio', 'checkbox'])
      expect([code, await (await openField(code)).count()]).toEqual([code, 2]);
    expect(await (await openField('text')).count()).toBe(0);
    const option = { fieldId: built.fields['text']!.id, value: 'a' };
    await managerOf().update(Option, option, { places: 3 });
    const places = await openField('text');
    await places.first().fill('');
    await page.press('Save');
    await page.heading(`${built.form.name} — Form`).waitFor();
    expect(await managerOf().findOneBy(Option, option)).toMatchObject({ places: null });
  });

  it('are in the list to check before a form goes live, with a warning if nobody can begin it', async () => {
    const plan = { steps: [{ workshop: CHOICE }] };
    const item = async (form: Partial<Form>, isFull = false) => {
      const built = await buildForm(use.database.dataSource, { ...plan, form });
      if (isFull) await answer(built, 'Prose');
      await managerOf().update(Form, built.form.id, { isActive: false });
      const page = await logIn();
      await page.open('Make it live', `forms/records/${built.form.id}/makeLive`);
      const found = page.page.getByRole('listitem').filter({ hasText: 'When and how many' });
      const [, text] = (await found.innerText()).split('When and how many');
      return [await found.getAttribute('data-state'), text?.trim()];
    };
    const warning = 'Nobody can begin to fill it in. Change this in Settings.';
    expect(await item({})).toEqual(['done', 'Always open, for any number of submissions.']);
    expect(await item({ opensAt: inHours(1), maxSubmissions: 2 })).toEqual([
      'done',
      expect.stringMatching(/^Opens .+ 0 of 2 submissions completed\.$/),
    ]);
    const closed = await item({ opensAt: inHours(-2), closesAt: inHours(-1) });
    expect(closed).toEqual(['look', expect.stringMatching(/^Opened .+ Closed .+/)]);
    expect(closed[1]).toContain(warning);
    expect(await item({ maxSubmissions: 1 }, true)).toEqual([
      'look',
      `1 of 1 submissions completed. ${warning}`,
    ]);
  });
});
