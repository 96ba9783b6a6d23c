import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';

/** Finds the inputs of the element, on the page or in an entry of a group, by accessible name. */
export class Questions {
  constructor(private readonly place: Page | Locator) {}

  /** The input of a field with one input. */
  field(label: string): Locator {
    return this.place.getByLabel(named(label));
  }

  choice(label: string, option: string): Locator {
    return this.place.getByRole('group', { name: named(label) }).getByLabel(option, { exact: true });
  }
}

/** Waits for the focus, because the element moves it shortly after it shows a page. */
export async function expectFocus(locator: Locator): Promise<void> {
  await eventually('it has the focus', () => hasFocus(locator));
}

/** Whether the element has the focus, in its document or shadow root. */
export function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element === element.getRootNode().activeElement);
}

/** Matches the label exactly, with or without "(optional)", which follows the labels of optional fields. */
function named(label: string): RegExp {
  return new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*(\\(optional\\))?$`);
}
