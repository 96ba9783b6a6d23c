/** The kind of value that a field holds. `options`: any number of the field's options. Without options, the value is a tick. */
export type Held = 'text' | 'email' | 'number' | 'date' | 'file' | 'option' | 'options' | 'nothing';

/** A field that holds a value, which conditions can test, rules can compare with, and formulas can use. */
export interface TestedField {
  readonly id: number;
  readonly code: string;
  /** The label. The code follows in brackets if another field of the form has the same label. */
  readonly name: string;
  readonly held: Held;
  readonly options: readonly TestedOption[];
  readonly isRepeatable: boolean;
  readonly entityId: number | null;
  readonly isRetired: boolean;
}

export interface TestedOption {
  readonly value: string;
  readonly label: string;
}

/** The fields of a step that hold a value. */
export interface TestedStep {
  readonly title: string;
  readonly fields: readonly TestedField[];
}

/** Kinds of values in which numbers or dates can be. An option can be a price. */
const HOLDERS: Readonly<Record<'number' | 'date', readonly Held[]>> = {
  number: ['number', 'text', 'option'],
  date: ['date', 'text'],
};

/** Whether the value of the field can be a number, a date, or a text. */
export const canHold = (wanted: 'number' | 'date' | 'text', { held }: Pick<TestedField, 'held'>): boolean =>
  wanted === 'text' ? held !== 'file' : HOLDERS[wanted].includes(held);

/** Stands for an input that is still empty. */
export const NOTHING = '…';

/** A name that ends like a sentence gets quotation marks. */
export const nameInWords = (field: Pick<TestedField, 'name'> | undefined): string =>
  field === undefined ? NOTHING : /[?!.:]$/.test(field.name) ? `“${field.name}”` : field.name;

/** A number and a date need no quotation marks. */
export const quoted = (text: string) =>
  text === '' ? NOTHING : /^([+-]?[\d.]+|\d{4}-\d\d-\d\d)$/.test(text) ? text : `“${text}”`;

export const fieldsIn = (steps: readonly TestedStep[]): TestedField[] =>
  steps.flatMap(({ fields }) => fields);

export const fieldsById = (steps: readonly TestedStep[]): ReadonlyMap<string, TestedField> =>
  new Map(fieldsIn(steps).map((field) => [String(field.id), field]));
