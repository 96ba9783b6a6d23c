import type { Component, Field, UnknownComponent } from 'formtrail-client';

type WithType = Pick<Field, 'field_type'>;

// Not read from the table, because most pages then load only these two.
export const isForFiles = ({ field_type }: WithType) => field_type.component === 'file-input';

/** Whether the field only displays text, and so has no value (V8). */
export function isText({ field_type: { component } }: WithType): boolean {
  return component === 'heading-display' || component === 'paragraph-display';
}

/** Whether the service computes the answer. An older service has no such fields, and does not say so. */
export const isComputed = ({ computed }: Partial<Pick<Field, 'computed'>>) => Boolean(computed);

/** The kind of value that a field holds. `options`: any number of the field's options. Without options, the value is a tick. */
export type Held = 'text' | 'number' | 'date' | 'option' | 'options' | 'file' | 'nothing';

const HOLDS: Readonly<Record<Exclude<Component, UnknownComponent>, Held>> = {
  'text-input': 'text',
  'email-input': 'text',
  'number-input': 'number',
  'textarea-input': 'text',
  'select-input': 'option',
  'checkbox-input': 'options',
  'radio-input': 'option',
  'date-input': 'date',
  'file-input': 'file',
  'heading-display': 'nothing',
  'paragraph-display': 'nothing',
};

/** An unknown component, for example of a newer service, holds text. */
export function heldBy({ field_type: { component } }: WithType): Held {
  return Object.hasOwn(HOLDS, component) ? HOLDS[component as keyof typeof HOLDS] : 'text';
}
