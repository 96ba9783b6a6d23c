import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Finds violations of WCAG 2.2 AA and of axe-core's best practices, except in the elements that `besides` selects. */
export async function violationsOn(page: Page, besides: readonly string[] = []): Promise<axe.Result[]> {
  // The debugger evaluates axe-core, because a content security policy would block a script element.
  await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES } });
  const context = JSON.stringify({ exclude: besides.map((selector) => [selector]) });
  return (await page.evaluate<axe.AxeResults>(`axe.run(${context}, ${options})`)).violations;
}

export async function expectAccessible(page: Page, besides?: readonly string[]): Promise<void> {
  const violations = await violationsOn(page, besides);
  const found = violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    at: nodes.map(({ target }) => target.join(' ')),
  }));
  expect(found).toEqual([]);
}
