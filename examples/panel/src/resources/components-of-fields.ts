import type { Component } from 'formtrail-entities';

/** The kind of value that a field holds. `options`: any number of the field's options. Without options, the value is a tick. */
type Held = 'text' | 'option' | 'options' | 'nothing';

/** The one place of the panel that lists components. */
const HOLDS: Readonly<Record<Component, Held>> = {
  'text-input': 'text',
  'email-input': 'text',
  'number-input': 'text',
  'textarea-input': 'text',
  'select-input': 'option',
  'checkbox-input': 'options',
  'radio-input': 'option',
  'date-input': 'text',
  'file-input': 'text',
  // For display only.
  'heading-display': 'nothing',
  'paragraph-display': 'nothing',
};

/** An unknown component is one of this database, and holds text. */
export function heldBy(component: string): Held {
  return Object.hasOwn(HOLDS, component) ? HOLDS[component as Component] : 'text';
}
