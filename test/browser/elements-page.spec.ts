import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { buildForm, type FormPlan } from '../support/forms.js';
import { blocksOf } from '../support/panel.js';
import { expectUsable } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { expectFocus } from './support/focus.js';
import { serveFolder, type StaticServer } from './support/static-server.js';
import { heading, press, REFUSED, saved, summaryOn, useElement } from './support/use-element.js';

describeInBrowser('the attributes that tie <formtrail-form> to its page:', () => {
  const { use, browser, open, query, site } = useElement();

  const plan: FormPlan = {
    form: { access: 'public' },
    steps: [
      {
        name: { label: 'Name', meta: { prefill: true } },
        country: { label: 'Country', type: 'select', options: ['DE', 'FR'], meta: { prefill: true } },
        note: { label: 'Note' },
      },
      { city: { label: 'City', meta: { prefill: true }, defaultValue: 'Graz' } },
    ],
  };
  /** Opens a page with the form, and then again with this query. */
  async function openWith(attributes: string, search = ''): Promise<Page> {
    const { form } = await buildForm(use.database.dataSource, plan);
    const page = await open(form.slug, { attributes });
    if (search !== '') await page.goto(`${page.url()}${search}`);
    await page.getByLabel('Name').waitFor();
    return page;
  }
  const warnings = (page: Page) => {
    const texts: string[] = [];
    page.on('console', (message) => message.type() === 'warning' && texts.push(message.text()));
    return texts;
  };

  it('prefill has values for fields that allow them. They are answers from the first answer of the person on', async () => {
    browser.forgive(/^formtrail: The value to begin with for "note"/);
    const page = await openWith('prefill="url"', '?name=Ada&country=FR&city=Linz&note=secret&other=x');
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    expect(await page.getByLabel('Country').inputValue()).toBe('FR');
    expect(await page.getByLabel('Note').inputValue()).toBe('');
    // Looking stores nothing, neither here nor on the service.
    const stored = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])';
    expect(await page.evaluate(stored)).toBe('[{},{}]');
    expect(await query('select from submissions')).toEqual([]);
    await page.getByLabel('Name').fill('Ada Lovelace');
    await saved(page);
    await press(page, 'Next');
    await heading(page, 'Step 2').waitFor();
    expect(await page.getByLabel('City').inputValue()).toBe('Linz');
    await saved(page);
    const values = await query('select value from submission_values order by value');
    expect(values.map(({ value }: any) => value)).toEqual(['Ada Lovelace', 'FR', 'Linz']);

    // What the person has answered stays.
    await page.reload();
    await heading(page, 'Step 2').waitFor();
    await press(page, 'Back');
    await heading(page, 'Step 1').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
  });

  it('prefill is a JSON object, or ignored', async () => {
    browser.forgive(/^formtrail: The attribute prefill/);
    const page = await openWith(`prefill='{"name":"Ada"}'`);
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    const texts = warnings(page);
    await page.evaluate(`document.querySelector('formtrail-form').prefill = 'Ada'`);
    await page.evaluate(`document.querySelector('formtrail-form').submission = 'new'`);
    await eventually('it says so', () => texts.length > 0);
    await eventually('it is empty', async () => (await page.getByLabel('Name').inputValue()) === '');
  });

  it('completed-url leads to another page after completion, but not to a script', async () => {
    browser.forgive(/^formtrail: The attribute completed-url/);
    for (const [url, title] of [
      ['formtrail-form.js?thanks', undefined],
      ['javascript:alert(1)', 'Thank you'],
    ] as const) {
      const page = await openWith(`completed-url="${url}"`);
      await press(page, 'Next');
      await press(page, 'Check your answers');
      await press(page, 'Submit');
      if (title === undefined) await page.waitForURL(`${site().url}/${url}`);
      else await expectFocus(page.locator('[part=completed]').filter({ hasText: title }));
    }
  });

  describe('an input of the page', () => {
    const talk: FormPlan = {
      form: { access: 'public', completion: 'strict' },
      steps: [
        {
          rating: {
            ...{ type: 'rating', label: 'Rating', options: ['bad', 'fair', 'good'] },
            ...{ isRequired: true, description: 'From one to three' },
          },
          note: { label: 'Note' },
        },
      ],
    };
    const ratingOn = (page: Page) => page.getByRole('group', { name: 'Rating' });

    beforeAll(() => query(`insert into field_types (name, component) values ('rating', 'rating-input')`));

    it('is a text input with suggestions, unless the page registers one', async () => {
      const { form } = await buildForm(use.database.dataSource, talk);
      const page = await open(form.slug);
      await page.getByLabel('Rating').waitFor();
      expect(await page.getByLabel('Rating').evaluate((input) => input.list.options.length)).toBe(3);
      await page.getByLabel('Rating').fill('great');
      await press(page, 'Submit');
      await heading(page, 'Thank you').waitFor();
      expect(await query('select value from submission_values where form_id = $1', form.id)).toEqual([
        { value: 'great' },
      ]);
    });

    it('is that of the README, which the keyboard and the links of errors reach', async () => {
      browser.forgive(REFUSED);
      const [code = ''] = (await blocksOf('clients/elements/README.md', 'js')).filter((block) =>
        block.includes('registerInput'),
      );
      const { form } = await buildForm(use.database.dataSource, talk);
      const page = await open(form.slug, { before: code.replace('./formtrail/', './') });
      const stars = ratingOn(page).getByRole('button');
      await stars.first().waitFor();
      await press(page, 'Submit');
      await summaryOn(page).getByRole('link', { name: 'Rating: Enter an answer.' }).click();
      await expectFocus(stars.first());
      await expectUsable(page, 'element-own-input', 320);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      await ratingOn(page).getByRole('button', { name: 'fair', pressed: true }).waitFor();
      await saved(page);
      expect(await stars.allInnerTexts()).toEqual(['★', '★', '☆']);
      await summaryOn(page).waitFor({ state: 'detached' });
      await page.reload();
      await ratingOn(page).getByRole('button', { name: 'fair', pressed: true }).waitFor();
      await press(page, 'Submit');
      await heading(page, 'Thank you').waitFor();
      await page.getByText('fair', { exact: true }).waitFor();
    });

    it('replaces another one when it is registered late, and a fault of it does not stop the form', async () => {
      browser.forgive(/^Uncaught Error: own fault|^own fault/);
      const { form } = await buildForm(use.database.dataSource, talk);
      const page = await open(form.slug);
      await page.getByLabel('Rating').fill('good');
      await saved(page);
      const register = (body: string) =>
        page.evaluate<string>(
          `import('./formtrail-form.js').then(({ registerInput }) => { ${body} }).catch(({ message }) => message)`,
        );
      await register(`registerInput('rating-input', (place) => {
        const output = document.createElement('output');
        place.append(output);
        return { focus() {}, update({ value }) { output.value = value; } };
      });`);
      await ratingOn(page).getByText('good', { exact: true }).waitFor();
      await register(`registerInput('text-input', () => { throw new Error('own fault'); });`);
      await press(page, 'Submit');
      await heading(page, 'Thank you').waitFor();
      expect(await register(`registerInput('file-input', () => {});`)).toBe('file-input cannot be replaced.');
    });
  });

  describe('height-origin', () => {
    let folder: string;
    let host: StaticServer;

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'formtrail-host-'));
      await writeFile(path.join(folder, 'favicon.ico'), '');
      host = await serveFolder(folder);
    });
    afterAll(async () => {
      await host.close();
      await rm(folder, { recursive: true });
    });

    it('sends the height, and nothing else, to a page of this origin that has the page in an iframe', async () => {
      browser.forgive(/^formtrail: The attribute height-origin|Failed to execute 'postMessage'/);
      const heard = async (origin: string) => {
        const { form } = await buildForm(use.database.dataSource, plan);
        const page = await open(form.slug, { attributes: `height-origin="${origin}"` });
        await writeFile(
          path.join(folder, 'index.html'),
          `<!doctype html><iframe src="${page.url()}"></iframe>
           <script>
             const heard = [];
             addEventListener('message', ({ origin, data }) => heard.push([origin, data]));
           </script>`,
        );
        await page.goto(host.url);
        const frame = page.frameLocator('iframe');
        await frame.getByLabel('Name').waitFor();
        const messages = () => page.evaluate<[string, { height: number }][]>('heard');
        const [, inside] = page.frames();
        const size = () =>
          inside!.evaluate<number>('document.documentElement.getBoundingClientRect().height');
        return { frame, messages, size };
      };

      const { frame, messages, size } = await heard(host.url);
      const agrees = async () => {
        const height = Math.ceil(await size());
        const data = { type: 'formtrail-height', height };
        return JSON.stringify((await messages()).at(-1)) === JSON.stringify([site().url, data]);
      };
      await eventually('it is the height of the form', agrees);
      const before = await size();
      await press(frame.locator('main'), 'Next');
      await frame.getByLabel('City').waitFor();
      await eventually('it is the height of the shorter step', agrees);
      expect(await size()).toBeLessThan(before);

      for (const origin of ['*', `${host.url}/`, site().url]) {
        const other = await heard(origin);
        await other.frame.getByLabel('Note').fill('x');
        await other.frame.getByText('Saved').waitFor();
        expect(await other.messages()).toEqual([]);
      }
    });
  });
});
