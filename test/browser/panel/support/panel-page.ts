import type { Locator, Page } from 'playwright-core';
import { EMAIL, PASSWORD } from './panel-process.js';

/** Finds the panel's inputs by label, on the whole page or in a row. */
export class Inputs {
  constructor(private readonly place: Page | Locator) {}

  input(label: string): Locator {
    return this.place.getByLabel(new RegExp(`^${label}`));
  }

  async fill(texts: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, text] of Object.entries(texts)) await this.input(label).fill(text);
  }

  async tick(label: string): Promise<void> {
    // AdminJS covers the check box with an element of its own, which intercepts clicks.
    await this.input(label).press('Space');
  }

  /** Chooses an option of a select by its text. */
  async choose(label: string, choice: string): Promise<void> {
    const input = this.input(label);
    await input.click();
    await input.page().getByRole('option', { name: choice, exact: true }).click();
  }
}

/** A page of the panel, with the actions of a user. */
export class PanelPage extends Inputs {
  constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    super(page);
  }

  async logIn(): Promise<void> {
    await this.page.goto(this.url);
    await this.page.locator('[name=email]').fill(EMAIL);
    await this.page.locator('[name=password]').fill(PASSWORD);
    await this.page.getByRole('button', { name: 'Log in' }).click();
    await this.heading('Forms').waitFor();
  }

  /** Opens the page `path` below `resources`, and waits for the heading `name`. */
  async open(name: string, path: string): Promise<void> {
    await this.page.goto(`${this.url}/admin/resources/${path}`);
    await this.heading(name).waitFor();
  }

  heading(name: string): Locator {
    return this.page.getByRole('heading', { name });
  }

  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  async follow(name: string): Promise<void> {
    await this.page.getByRole('link', { name, exact: true }).click();
  }

  /** Adds a row, such as an option, to a record and returns the row's inputs. */
  async add(name: string, number: number): Promise<Inputs> {
    await this.press(`Add ${name.toLowerCase()}`);
    return new Inputs(this.row(name, number));
  }

  row(name: string, number: number): Locator {
    return this.page.getByRole('group', { name: `${name} ${number}`, exact: true });
  }

  /** The input of the property at `path`, with its error message. */
  property(path: string): Locator {
    return this.page.getByTestId(`property-edit-${path}`);
  }
}
