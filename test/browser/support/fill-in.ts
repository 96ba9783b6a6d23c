import type { Page } from 'playwright-core';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { heading, pdf, press, saved } from './use-element.js';

interface Field {
  readonly code: string;
  readonly field_type: { readonly component: string };
  readonly options: readonly { readonly label: string; readonly value: string }[];
  readonly default_value: string | null;
}

/** Values by field code. */
export type Answers = Record<string, string>;

/** Default answers by component. */
const PLAIN: Readonly<Record<string, string>> = {
  'text-input': 'Ada Lovelace',
  'email-input': 'ada@example.org',
  'number-input': '3',
  'textarea-input': 'First line\nSecond line, with "quotes" & <signs>',
  // Today satisfies the rules of the example forms for past dates and for future dates.
  'date-input': new Date().toISOString().slice(0, 10),
};

/** A draft on the page, and its user's own requests. */
interface Draft {
  readonly page: Page;
  readonly client: Client;
  /** Path of the submission. */
  readonly path: string;
}

/**
 * Answers the questions of all steps that are required or in `wishes`, adds one entry to each group, and submits. Checks that the
 * service has exactly these answers, and default values. Returns the titles of the steps.
 */
export async function fillIn(draft: Draft, formUuid: string, wishes: Answers): Promise<string[]> {
  const { page, client, path } = draft;
  const { steps } = (await client.get(`/api/v1/forms/${formUuid}/schema`)).body.data;
  const fields = new Map<string, Field>(
    steps.flatMap((step: { fields: Field[] }) => step.fields).map((field: Field) => [field.code, field]),
  );
  const answers: Answers = {};
  const titles: string[] = [];
  for (let button = 'Next'; button === 'Next';) {
    const title = await page.locator('h2[part=title]').innerText();
    titles.push(title);
    for (let asked = await askedOn(page, answers, wishes); asked.length > 0;) {
      for (const code of asked) await answer(draft, fields.get(code)!, answers, wishes);
      // The response shows and hides questions.
      await saved(page);
      asked = await askedOn(page, answers, wishes);
    }
    button = await page.locator('[part="button primary"]').innerText();
    await press(page, button);
    await heading(page, title).waitFor({ state: 'detached' });
  }
  await press(page, 'Submit');
  await heading(page, 'Thank you').waitFor();
  const { status, values } = (await client.get(path)).body.data;
  const found = values.map(({ field_code, value }: any) => [field_code, value]) as [string, string][];
  const besides = found.filter(
    ([code, value]) => !(code in answers) && fields.get(code)?.default_value !== value,
  );
  expect([status, Object.fromEntries(found), besides]).toEqual([
    'completed',
    expect.objectContaining(answers),
    [],
  ]);
  expect(answers).toMatchObject(wishes);
  return titles;
}

/** Codes of the questions that have no answers yet. Adds the first entry of a group. */
async function askedOn(page: Page, answers: Answers, wishes: Answers): Promise<string[]> {
  const empty = page.locator('[part=group]:not(:has(details))');
  // The element itself opens groups that need entries.
  const add = page.locator('[part=group]:not(:has(details), :has(> [part=hint])) > [part=button]');
  if ((await add.count()) > 0) await add.first().click();
  await empty.waitFor({ state: 'detached' });
  const codes = await page.locator('[part=form] [part~=field]:not(:has(output))').evaluateAll((questions) =>
    (questions as { querySelector(selector: string): { id: string } | null }[]).map((question) => ({
      code:
        question
          .querySelector(':is(input, select, textarea)[id^=place-]')
          ?.id.replace(/^place-|\..*$/g, '') ?? '',
      isOptional: question.querySelector('[part=mark]') !== null,
    })),
  );
  return codes
    .filter(({ code, isOptional }) => !(code in answers) && (!isOptional || code in wishes))
    .map(({ code }) => code);
}

async function answer(draft: Draft, field: Field, answers: Answers, wishes: Answers): Promise<void> {
  const { page, client, path } = draft;
  const { code, field_type, options } = field;
  const value = wishes[code] ?? options[0]?.value ?? PLAIN[field_type.component] ?? 'true';
  answers[code] = value;
  const positions = value.split(',').map((one) => options.findIndex((option) => option.value === one));
  const question = page.locator(`[part~=field]:has([id="place-${code}"], [id^="place-${code}."])`);
  const input = question.locator(':is(input, select, textarea)[id^=place-]');
  switch (field_type.component) {
    case 'radio-input':
    case 'checkbox-input':
      for (const position of positions) await question.locator('input').nth(position).check();
      break;
    case 'select-input':
      await input.selectOption(value);
      break;
    case 'file-input':
      await input.setInputFiles(pdf('document.pdf'));
      // The value contains a UUID that the service chooses.
      answers[code] = await eventually(`${code} has a value`, async () => {
        const { values } = (await client.get(path)).body.data;
        return values.find(({ field_code }: any) => field_code === code)?.value as string;
      });
      break;
    default:
      await input.fill(value);
  }
}
