import { withArticle } from 'formtrail-session/sentences';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { PDF } from '../../support/files.js';
import type { Page } from 'playwright-core';
import { Questions } from './form-page.js';
import { heading, press } from './use-element.js';

interface Field {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  readonly field_type: { readonly component: string };
  readonly options: readonly { readonly label: string; readonly value: string }[];
  readonly default_value: string | null;
  readonly entity: string | null;
}

interface Step {
  readonly step_number: number;
  readonly title: string;
  readonly fields: readonly Field[];
}

interface Schema {
  readonly steps: readonly Step[];
  readonly entities: readonly {
    readonly name: string;
    readonly label: string;
    readonly min_records: number | null;
  }[];
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
const FILE = { name: 'document.pdf', mimeType: 'application/pdf', buffer: PDF };

/** A draft on the page, and its user's own requests. `path` is the path of the submission. */
interface Draft {
  readonly page: Page;
  readonly client: Client;
  readonly path: string;
}

/** Fills in the fields that the service's conditions show. `answers` is what the service should store. */
export class FillIn {
  readonly answers: Answers = {};
  private readonly answered = new Set<number>();
  private readonly added = new Set<string>();
  private shown: readonly Field[] = [];

  private constructor(
    private readonly draft: Draft,
    private readonly wishes: Answers,
    readonly schema: Schema,
  ) {}

  static async of(draft: Draft, formUuid: string, wishes: Answers): Promise<FillIn> {
    const { body } = await draft.client.get(`/api/v1/forms/${formUuid}/schema`);
    return new FillIn(draft, wishes, body.data);
  }

  /** Answers the steps that the service shows, up to `last`, and presses "Next" after each except `last`. Returns their titles. */
  async answerSteps(last = this.schema.steps.at(-1)): Promise<string[]> {
    const { page } = this.draft;
    const titles: string[] = [];
    for (const step of this.schema.steps.slice(0, last?.step_number)) {
      const { steps } = await this.conditions();
      const state = steps.find(({ step_number }: Step) => step_number === step.step_number);
      if (!state.is_visible || !state.has_visible_fields) continue;
      titles.push(step.title);
      await heading(page, step.title).waitFor();
      await this.answerStep(step);
      if (step !== last) await press(page, 'Next');
    }
    return titles;
  }

  /**
   * Answers all visible fields that are required or in `wishes`, until no more become visible. Adds one entry to each
   * visible repeating group, unless the page adds it because the group needs one.
   */
  private async answerStep({ fields, step_number }: Step): Promise<void> {
    this.shown = fields;
    for (;;) {
      await this.addEntries(fields, step_number > 1);
      const states = (await this.conditions()).data;
      const asked = fields.filter(
        ({ id, code }) =>
          states[id].visible && (states[id].required || code in this.wishes) && !this.answered.has(id),
      );
      if (asked.length === 0) break;
      for (const field of asked) await this.answer(field);
      await this.stored();
    }
  }

  private async addEntries(fields: readonly Field[], isOpened: boolean): Promise<void> {
    const { page } = this.draft;
    const { entities } = await this.conditions();
    for (const { name, label, min_records } of this.schema.entities) {
      const isVisible = entities.some((entity: any) => entity.name === name && entity.is_visible);
      const isHere = fields.some(({ entity }) => entity === name);
      if (!isHere || !isVisible || this.added.has(name)) continue;
      this.added.add(name);
      if (!isOpened || !min_records)
        await page.getByRole('button', { name: `Add ${withArticle(label)}`, exact: true }).click();
      await page.getByRole('group', { name: `${label} 1`, exact: true }).waitFor();
    }
  }

  /** Waits until the service stores exactly `answers`, including the default values of visible fields. */
  async stored(): Promise<void> {
    let found: Answers = {};
    const isStored = async () => {
      const { values } = (await this.draft.client.get(this.draft.path)).body.data;
      found = Object.fromEntries(values.map(({ field_code, value }: any) => [field_code, value]));
      const states = (await this.conditions()).data;
      for (const { id, code, default_value: given } of this.shown)
        if (given !== null && states[id].visible) this.answers[code] ??= given;
      const names = new Set([...Object.keys(found), ...Object.keys(this.answers)]);
      return [...names].every((name) => found[name] === this.answers[name]);
    };
    // Ignore the timeout, because the comparison below shows the difference.
    await eventually('the answers are stored', isStored).catch(() => undefined);
    expect(found).toEqual(this.answers);
  }

  private async conditions(): Promise<any> {
    return (await this.draft.client.get(`${this.draft.path}/conditions?shape=map&steps=true`)).body;
  }

  private async answer({ id, code, label, field_type, options }: Field): Promise<void> {
    const { page, client, path } = this.draft;
    const form = new Questions(page);
    const value = this.wishes[code] ?? options[0]?.value ?? PLAIN[field_type.component] ?? 'true';
    this.answered.add(id);
    this.answers[code] = value;
    const labelOf = (option: string) => options.find((one) => one.value === option)?.label ?? option;
    switch (field_type.component) {
      case 'radio-input':
        await form.choice(label, labelOf(value)).check();
        break;
      case 'checkbox-input':
        for (const option of value.split(',')) await form.choice(label, labelOf(option)).check();
        break;
      case 'select-input':
        await form.field(label).selectOption({ label: labelOf(value) });
        break;
      case 'file-input':
        await form.field(label).setInputFiles(FILE);
        // The value contains a UUID that the service chooses.
        this.answers[code] = await eventually(`${code} has a value`, async () => {
          const { values } = (await client.get(path)).body.data;
          return values.find(({ field_code }: any) => field_code === code)?.value as string;
        });
        break;
      default:
        await form.field(label).fill(value);
    }
  }
}
