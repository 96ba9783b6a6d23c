import { withArticle } from 'formtrail-session/sentences';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { PDF } from '../../support/files.js';
import type { FormPage } from './form-page.js';

interface Field {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  readonly field_type: { readonly component: string };
  readonly options: readonly { readonly label: string; readonly value: string }[];
  readonly default_value: string | null;
  readonly entity: string | null;
}

export interface Entity {
  readonly name: string;
  readonly label: string;
  readonly min_records: number | null;
}

export interface Step {
  readonly step_number: number;
  readonly title: string;
  readonly fields: readonly Field[];
}

interface Conditions {
  readonly data: any;
  readonly steps: readonly {
    readonly step_number: number;
    readonly is_visible: boolean;
    readonly has_visible_fields: boolean;
  }[];
  readonly entities: readonly { readonly name: string; readonly is_visible: boolean }[];
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

/** Fills in the fields that the service's conditions show. `answers` is what the service should store. */
export class FillIn {
  readonly answers: Answers = {};
  private readonly answered = new Set<number>();
  private readonly added = new Set<string>();
  private shown: readonly Field[] = [];

  constructor(
    private readonly form: FormPage,
    private readonly api: Client,
    private readonly submission: string,
    private readonly wishes: Answers,
    private readonly entities: readonly Entity[],
  ) {}

  /** The numbers of the steps that the service shows for the stored answers. */
  async shownSteps(): Promise<number[]> {
    const { steps } = await this.conditions();
    return steps
      .filter(({ is_visible, has_visible_fields }) => is_visible && has_visible_fields)
      .map(({ step_number }) => step_number);
  }

  /**
   * Answers all visible fields that are required or in `wishes`, until no more become visible. Adds one entry to each
   * visible repeating group, unless the page adds it because the group needs one.
   */
  async answerStep({ fields, step_number }: Step): Promise<void> {
    this.shown = fields;
    for (;;) {
      await this.addEntries(fields, step_number > 1);
      const states = await this.states();
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
    const states = await this.conditions();
    for (const { name, label, min_records } of this.entities) {
      const isVisible = states.entities.some((entity) => entity.name === name && entity.is_visible);
      const isHere = fields.some(({ entity }) => entity === name);
      if (!isHere || !isVisible || this.added.has(name)) continue;
      this.added.add(name);
      if (!isOpened || !min_records)
        await this.form.page.getByRole('button', { name: `Add ${withArticle(label)}`, exact: true }).click();
      await this.form.page.getByRole('group', { name: `${label} 1`, exact: true }).waitFor();
    }
  }

  /** Waits until the service stores exactly `answers`, including the default values of visible fields. */
  async stored(): Promise<void> {
    let found: Answers = {};
    const isStored = async () => {
      const { body } = await this.api.get(this.submission);
      found = Object.fromEntries(
        body.data.values.map((entry: { field_code: string; value: string }) => [
          entry.field_code,
          entry.value,
        ]),
      );
      const states = await this.states();
      for (const { id, code, default_value: given } of this.shown) {
        if (given !== null && states[id].visible) this.answers[code] ??= given;
      }
      return isSame(found, this.answers);
    };
    // Ignore the timeout, because the comparison below shows the difference.
    await eventually('the answers are stored', isStored).catch(() => undefined);
    expect(found).toEqual(this.answers);
  }

  /** Waits for the value of a file field, which contains a UUID that the service chooses. */
  private valueOf(code: string): Promise<string> {
    return eventually(`${code} has a value`, async () => {
      const { values } = (await this.api.get(this.submission)).body.data;
      return values.find((entry: { field_code: string }) => entry.field_code === code)?.value as string;
    });
  }

  private async states() {
    return (await this.conditions()).data;
  }

  private async conditions(): Promise<Conditions> {
    return (await this.api.get(`${this.submission}/conditions?shape=map&steps=true`)).body;
  }

  private async answer(field: Field): Promise<void> {
    const { id, code, label, field_type, options } = field;
    const { component } = field_type;
    const value = this.wishes[code] ?? options[0]?.value ?? PLAIN[component] ?? 'true';
    this.answered.add(id);
    this.answers[code] = value;
    const labelOf = (option: string) => options.find((one) => one.value === option)?.label ?? option;
    switch (component) {
      case 'radio-input':
        await this.form.choice(label, labelOf(value)).check();
        break;
      case 'checkbox-input':
        for (const option of value.split(',')) await this.form.choice(label, labelOf(option)).check();
        break;
      case 'select-input':
        await this.form.field(label).selectOption({ label: labelOf(value) });
        break;
      case 'file-input':
        await this.form.field(label).setInputFiles(FILE);
        this.answers[code] = await this.valueOf(code);
        break;
      default:
        await this.form.field(label).fill(value);
    }
  }
}

function isSame(one: Answers, other: Answers): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}
