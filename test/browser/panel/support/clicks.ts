import type { Locator } from 'playwright-core';
import { hasFocus } from '../../support/focus.js';

/** Counts the clicks of a person who types. Also counts a click into each input that does not have the focus already. */
export class Clicks {
  count = 0;

  async click(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }

  async type(input: Locator, text: string): Promise<void> {
    if (!(await hasFocus(input))) await this.click(input);
    await input.page().keyboard.type(text);
  }
}
