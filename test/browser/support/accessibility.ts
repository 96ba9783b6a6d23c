import path from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules whose result depends on the colour scheme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
/** The directory for screenshots, if any: `SCREENSHOTS=directory npm run test:browser`. */
const PICTURES = process.env['SCREENSHOTS'] || undefined;

/** Finds violations of WCAG 2.2 AA and of axe-core's best practices, except in the elements that `besides` selects. */
export function violationsOn(page: Page, besides: readonly string[] = []): Promise<axe.Result[]> {
  return runAxe(page, besides, { type: 'tag', values: RULES });
}

async function runAxe(page: Page, besides: readonly string[], runOnly: axe.RunOnly): Promise<axe.Result[]> {
  // The debugger evaluates axe-core, because a content security policy would block a script element.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  const context = JSON.stringify({ exclude: besides.map((selector) => [selector]) });
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  return (await page.evaluate<axe.AxeResults>(`axe.run(${context}, ${options})`)).violations;
}

export async function expectAccessible(page: Page, besides?: readonly string[]): Promise<void> {
  expect(summaryOf(await violationsOn(page, besides))).toEqual([]);
}

function summaryOf(violations: readonly axe.Result[]) {
  return violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    at: nodes.map(({ target }) => target.join(' ')),
  }));
}

/**
 * Checks that a page follows WCAG in light and in dark colours, and does not scroll sideways on a phone of this width. Saves the three
 * looks as screenshots if SCREENSHOTS names a directory.
 */
export async function expectUsable(page: Page, name: string, width = 360): Promise<void> {
  await picture(page, `${name}-light`);
  await expectAccessible(page);
  // Reduced motion, because a colour that is still changing has the wrong contrast.
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await picture(page, `${name}-dark`);
  const inTheDark = await runAxe(page, [], { type: 'rule', values: COLOUR_RULES });
  expect([name, 'dark', summaryOf(inTheDark)]).toEqual([name, 'dark', []]);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null });

  const size = page.viewportSize()!;
  await page.setViewportSize({ width, height: 740 });
  await picture(page, `${name}-phone`);
  const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth');
  expect([name, scrolled]).toEqual([name, width]);
  await page.setViewportSize(size);
}

/** Saves a screenshot if SCREENSHOTS names a directory. */
export async function picture(page: Page, name: string, fullPage = true): Promise<void> {
  if (PICTURES === undefined) return;
  if (fullPage) await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`), fullPage });
}
