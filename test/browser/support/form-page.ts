import type { Locator, Page } from 'playwright-core';

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

  heading(name: string): Locator {
    return this.page.getByRole('heading', { level: 1, name, exact: true });
  }

  async press(name: 'Next' | 'Back' | 'Check your answers' | 'Submit'): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
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

/** Whether the element has the focus. */
export function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element === element.ownerDocument.activeElement);
}

/** Matches the label exactly, with or without "(optional)", which the renderer appends to optional fields. */
function named(label: string): RegExp {
  return new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*(\\(optional\\))?$`);
}
