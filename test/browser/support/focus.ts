import type { Locator } from 'playwright-core';
import { eventually } from '../../support/eventually.js';

/** Waits for the focus, because the element moves it shortly after it shows a page. */
export async function expectFocus(locator: Locator): Promise<void> {
  await eventually('it has the focus', () => hasFocus(locator));
}

/** Whether the element has the focus, in its document or shadow root. */
export function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element === element.getRootNode().activeElement);
}
