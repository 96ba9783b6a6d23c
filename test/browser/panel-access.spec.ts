import { buildForm } from '../support/forms.js';
import { createDraft } from '../support/drafts.js';
import { newUser, useService } from '../support/service.js';
import { violationsOn } from './support/accessibility.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { PanelPage } from './support/panel-page.js';
import { startPanel } from './support/panel-process.js';

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
  // The breadcrumb links are only as high as their text.
  { rule: 'target-size', at: /^<a class="sc-\w+ \w+( is-active)?" href="\/admin/ },
  // The closed filter drawer has labels without inputs. The close buttons of the drawer and of notices are nameless.
  { rule: 'label', at: /^<input (name="filter-|class="" (value|autocap))/ },
  { rule: 'label-title-only', at: /^<input class="" autocap/ },
  { rule: 'button-name', at: /^<button (type="button" color="text"|color="danger") class/ },
  // Blue is the text of some buttons and the background of others. On a dark page, no blue is legible as both.
  { rule: 'color-contrast', at: /foreground color: #256bee, /, in: 'dark' },
  // The dark theme replaces the panel's name in this link with AdminJS's logo.
  { rule: 'link-name', at: /^<a href="\/admin" class="[\w -]+ adminjs_Box">/, in: 'dark' },
];

describeInBrowser('the accessibility of the administration panel', () => {
  const use = useService();
  const browser = useBrowser();

  it.each(['light', 'dark'] as const)(
    'has no faults on any page except those of AdminJS itself, in the theme %s',
    async (theme) => {
      const built = await buildForm(use.database.dataSource, {
        steps: [
          {
            name: { rules: { min_length: '2' }, isRequired: true },
            other: { conditions: [['name', 'equals', 'x', 'show']] },
            retired: { retiredAt: new Date() },
          },
          {},
        ],
      });
      const { form, fields, steps } = built;
      const { client, token } = await newUser(use);
      const { path: draft, uuid } = await createDraft(client, built);
      await client.post(`${draft}/values`, { values: [{ field_code: 'name', value: 'Ada' }] });
      const panel = await startPanel(use.database.url, 'http://127.0.0.1:5173/', theme);
      const page = new PanelPage(await browser.newPage(), panel.url);
      const unknown: string[] = [];
      const met = new Set<Known>();
      const known = OF_ADMINJS.filter((one) => one.in === undefined || one.in === theme);
      const look = async (name: string) => {
        for (const { id, nodes } of await violationsOn(page.page)) {
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
        await page.fill({ Name: 'Claim', Slug: 'Claim of costs' });
        await page.press('Save');
        await page.property('slug').getByText('lower-case letters and digits').waitFor();
        await page.add('Step', 1);
        await page.add('Entity', 1);
        await look('forms/actions/new, with a mistake and parts');
        await open(`forms/records/${form.id}/show`, '[data-testid=step-1]');
        await open(`forms/records/${form.id}/edit`, 'form');
        await open(`fields/records/${fields['other']!.id}/edit`, 'form');
        await open(`fields/actions/new?formId=${form.id}&stepId=${steps[0]!.id}`, 'form');
        await open('users/actions/new', 'form');
        await open('api_tokens/actions/new', 'form');
        await open(`api_tokens/records/${token.id}/show`, 'section');
        await open(`submissions/records/${uuid}/show`, 'h5, h3');
      } finally {
        await panel.stop();
      }
      expect(unknown).toEqual([]);
      // Fails if AdminJS has fixed a fault, so that the fault is removed from `OF_ADMINJS`.
      expect(known.filter((one) => !met.has(one))).toEqual([]);
    },
    600_000,
  );
});
