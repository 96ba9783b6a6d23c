import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';

/** Finds the renderer's inputs, on the page or in an entry of a group, by accessible name. */
export class Questions {
  constructor(private readonly place: Page | Locator) {}

  /** The input of a field with one input. */
  field(label: string): Locator {
    return this.place.getByLabel(named(label));
  }

  /** The group of radio buttons or check boxes. */
  group(label: string): Locator {
    return this.place.getByRole('group', { name: named(label) });
  }

  choice(label: string, option: string): Locator {
    return this.group(label).getByLabel(option, { exact: true });
  }
}

/** The renderer's page of a form. */
export class FormPage extends Questions {
  constructor(readonly page: Page) {
    super(page);
  }

  get status(): Locator {
    return this.page.getByRole('status');
  }

  get problems(): Locator {
    return this.page.getByRole('alert').filter({ hasText: 'There is a problem' });
  }

  get dialog(): Locator {
    return this.page.getByRole('alertdialog');
  }

  heading(name: string): Locator {
    return this.page.getByRole('heading', { level: 1, name, exact: true });
  }

  async press(name: 'Next' | 'Back' | 'Check your answers' | 'Submit'): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  /** Presses a button of the open dialog. */
  async answer(name: string): Promise<void> {
    await this.dialog.getByRole('button', { name, exact: true }).click();
    await this.dialog.waitFor({ state: 'detached' });
  }

  /** Completes the form from its last step. */
  async submit(): Promise<void> {
    await this.press('Check your answers');
    await this.heading('Check your answers').waitFor();
    await this.press('Submit');
    await this.heading('Thank you').waitFor();
  }

  /** Waits until all answers are stored. */
  async saved(): Promise<void> {
    await this.status.filter({ hasText: /^Saved$/ }).waitFor();
  }
}

/** Waits for the focus, because the renderer moves it shortly after it shows a page. */
export async function expectFocus(locator: Locator): Promise<void> {
  await eventually('it has the focus', () => hasFocus(locator));
}

/** Whether the element has the focus, in its document or shadow root. */
export function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element === element.getRootNode().activeElement);
}

/** Matches the label exactly, with or without "(optional)", which the renderer appends to optional fields. */
function named(label: string): RegExp {
  return new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*(\\(optional\\))?$`);
}
