import { Form, Option, Submission } from '../../../src/entities.js';
import { buildForm } from '../../support/forms.js';
import { createDraft } from '../../support/drafts.js';
import { newUser, useService } from '../../support/service.js';
import { violationsOn } from '../support/accessibility.js';
import { useBrowser } from '../support/browser.js';
import { describeInBrowser } from '../support/chromium.js';
import { PanelPage } from './support/panel-page.js';
import { startPanel } from './support/panel-process.js';
import { startExamplePage } from '../support/example-page.js';

interface Known {
  readonly rule: string;
  /** Matches the HTML of AdminJS that breaks the rule, followed by axe's explanation. */
  readonly at: RegExp;
  readonly in?: 'light' | 'dark';
}

/** Faults of AdminJS that the panel cannot fix with its own theme, components or texts. */
const OF_ADMINJS: readonly Known[] = [
  // The layout and the login have no landmarks, and the login has no first-level heading.
  { rule: 'landmark-one-main', at: /^<html/ },
  { rule: 'region', at: /./ },
  { rule: 'page-has-heading-one', at: /^<html/ },
  { rule: 'heading-order', at: /^<h5[^>]*>Formtrail</ },
  // Inputs of dates and the buttons that close notices are nameless.
  { rule: 'label', at: /^<input class="" value/ },
  { rule: 'button-name', at: /^<button color="(danger|success)" class/ },
  // Blue is the text of some buttons and the background of others. On a dark page, no blue is legible as both.
  { rule: 'color-contrast', at: /foreground color: #256bee, /, in: 'dark' },
];

describeInBrowser('the accessibility of the administration panel', () => {
  const use = useService();
  const browser = useBrowser();

  it.each(['light', 'dark'] as const)(
    'has no faults on any page except those of AdminJS itself, in the theme %s',
    async (theme) => {
      const built = await buildForm(use.database.dataSource, {
        form: {
          ...{ closesAt: new Date('2999-12-31T12:00:00Z'), maxSubmissions: 2, timeZone: 'Europe/Berlin' },
          ...{ keepCompletedDays: 365, keepPersonalDays: 30 },
        },
        steps: [
          {
            name: { rules: { min_length: '2' }, isRequired: true, isPersonal: true },
            other: { conditions: [['name', 'equals', 'x', 'show']] },
            retired: { retiredAt: new Date() },
            colours: { type: 'checkbox', options: ['r', 'g'] },
            proof: { type: 'file' },
            amount: { isRepeatable: true },
          },
          {
            from: { type: 'date', conditions: [['name', 'after', 'today-18y', 'show']] },
            to: { type: 'date', rules: { min_date: { field: 'from', days: 1 }, max_date: 'today+6m' } },
            total: {
              computed: { op: 'round', of: [{ op: 'sum', of: ['amount', { value: '5' }] }], scale: 2 },
            },
          },
        ],
        stepConditions: { 2: [['colours', 'in', 'r,g', 'hide']] },
        entities: [{ name: 'expense', label: 'Expense', isRepeatable: true, of: ['amount'] }],
      });
      const { form, fields, steps } = built;
      const { client, token } = await newUser(use);
      await use.database.dataSource.manager.update(Option, { fieldId: fields['colours']!.id }, { places: 1 });
      const { path: draft, uuid } = await createDraft(client, built);
      await client.post(`${draft}/values`, { values: [{ field_code: 'name', value: 'Ada' }] });
      await client.post(`${draft}/records`, { entity: 'expense' });
      const { path: deleted, uuid: anonymized } = await createDraft(client, built);
      await client.post(`${deleted}/values`, { values: [{ field_code: 'other', value: 'x' }] });
      const { manager } = use.database.dataSource;
      await manager.update(Submission, { uuid: anonymized }, { anonymizedAt: new Date(), held: true });
      const example = await startExamplePage(use.service.url);
      const panel = await startPanel(use.database.url, {
        RENDERER_URL: `${example.url}/`,
        PANEL_THEME: theme,
      });
      const page = new PanelPage(await browser.newPage(), panel.url);
      const unknown: string[] = [];
      const met = new Set<Known>();
      const known = OF_ADMINJS.filter((one) => one.in === undefined || one.in === theme);
      const look = async (name: string, besides: readonly string[] = []) => {
        for (const { id, nodes } of await violationsOn(page.page, besides)) {
          for (const { html, failureSummary } of nodes) {
            const found = `${html}: ${failureSummary}`;
            const one = known.find(({ rule, at }) => rule === id && at.test(found));
            if (one) met.add(one);
            else unknown.push(`${name}: ${id} at ${found}`);
          }
        }
      };
      const open = async (place: string, ready: string) => {
        await page.page.goto(`${panel.url}/admin/resources/${place}`);
        await page.page.locator(ready).first().waitFor();
        await look(place);
      };
      try {
        await page.page.goto(panel.url);
        await page.page.locator('[name=email]').waitFor();
        await look('login');
        await page.logIn();
        for (const list of ['forms', 'field_types', 'users', 'api_tokens', 'submissions'])
          await open(list, 'td, th');
        await open('forms/actions/new', 'form');
        await open(`forms/records/${form.id}/show`, '[data-testid=step-1]');
        await page.press('Add a field to Step 1');
        await page.page.getByRole('radio', { name: 'Drop-down list' }).check();
        await page.fill({ Label: 'Name', Code: 'name', Options: 'A' });
        await page.press('Add');
        await page.page.getByRole('alert').filter({ hasText: 'code' }).waitFor();
        await page.press('Move “other” up');
        await page.press('Preview');
        await page.page.getByTestId('preview').waitFor();
        await look('the page of a form, with a new field and a preview');
        await page.press('More');
        // The menu covers parts of the steps while it is open.
        await look('the page of a form, with its menu', ['[data-testid^=step-]']);
        await open(`forms/records/${form.id}/translations?locale=ar`, '[data-testid=texts]');
        await page.input('Add a language').fill('German');
        await page.press('Add');
        await page.page.getByText(/^This is not a language tag/).waitFor();
        await look('the translations of a form, with an error');
        await open(`forms/records/${form.id}/edit`, 'form');
        await page.fill({ Slug: 'Claim of costs' });
        await page.press('Save');
        await page.property('slug').getByText('lower-case letters and digits').waitFor();
        // It is grey while the panel saves, and becomes blue slowly.
        await page.page
          .locator('[data-testid=button-save]:enabled')
          .evaluate((button) => Promise.all(button.getAnimations().map((one: any) => one.finished)));
        await look('the settings of a form, with a mistake');
        await open(`fields/records/${fields['other']!.id}/edit`, 'form');
        await open(`fields/records/${fields['other']!.id}/show`, 'section');
        for (const code of ['from', 'to', 'total'])
          await open(`fields/records/${fields[code]!.id}/edit`, '[data-testid=computed-in-words]');
        await open(`fields/records/${fields['to']!.id}/show`, 'section');
        await open(`fields/records/${fields['colours']!.id}/edit`, '[data-testid=options] input');
        await open(`fields/records/${fields['proof']!.id}/edit`, '[data-testid=property-edit-accept]');
        await open(`steps/records/${steps[1]!.id}/edit`, '[data-testid=conditions-in-words] div');
        await page.input('Value').click();
        await look('a list of values of a condition');
        await open(`fields/actions/new?formId=${form.id}&stepId=${steps[0]!.id}`, 'form');
        await open('users/actions/new', 'form');
        await open('api_tokens/actions/new', 'form');
        await open(`api_tokens/records/${token.id}/show`, 'section');
        await open(`submissions/records/${uuid}/show`, '[data-testid=answers-1]');
        await open(`submissions/records/${anonymized}/show`, '[data-testid=answers-1]');
        await open(`forms/records/${form.id}/share`, 'img[alt^="QR code"]');
        await open(`forms/records/${form.id}/copy`, '#copy-name');
        await open(`forms/records/${form.id}/show`, '[data-testid=publishing]');
        await page.press('Prepare changes');
        await page.heading('(prepared changes)').waitFor();
        await look('a copy with prepared changes');
        await page.follow('See the differences and publish');
        await page.page.getByText('Nothing: this copy and the live form are the same.').waitFor();
        await look('the differences of prepared changes');
        await use.database.dataSource.manager.update(Form, form.id, { isActive: false });
        await open(`forms/records/${form.id}/makeLive`, '[data-state]');
      } finally {
        await panel.stop();
        await example.close();
      }
      expect(unknown).toEqual([]);
      // Fails if AdminJS has fixed a fault, so that the fault is removed from `OF_ADMINJS`.
      expect(known.filter((one) => !met.has(one))).toEqual([]);
    },
    600_000,
  );
});
