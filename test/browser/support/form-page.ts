import type { Locator, Page } from 'playwright-core';

/** Questions of the renderer, on the page or in an entry, by the names that assistive technology reads out. */
export class Questions {
  constructor(private readonly place: Page | Locator) {}

  /** Of a field with one input. */
  field(label: string): Locator {
    return this.place.getByLabel(named(label));
  }

  /** Of radio buttons or check boxes. */
  group(label: string): Locator {
    return this.place.getByRole('group', { name: named(label) });
  }

  choice(label: string, option: string): Locator {
    return this.group(label).getByLabel(option, { exact: true });
  }
}

/** What a person finds on the renderer's page of a form. */
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

  /** From the last step to the end. */
  async submit(): Promise<void> {
    await this.press('Check your answers');
    await this.heading('Check your answers').waitFor();
    await this.press('Submit');
    await this.heading('Thank you').waitFor();
  }

  /** Until the service has what was typed. */
  async saved(): Promise<void> {
    await this.status.filter({ hasText: /^Saved$/ }).waitFor();
  }
}

/** Whether what is typed now goes there. */
export function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element === element.ownerDocument.activeElement);
}

/** The label as it is, and what the renderer says after it where the field is not required. */
function named(label: string): RegExp {
  return new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*(\\(optional\\))?$`);
}
