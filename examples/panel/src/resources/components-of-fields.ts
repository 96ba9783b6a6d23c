import { type Component, COMPONENTS } from 'formtrail-entities';
import type { Held } from '../components/tested-fields.js';

/** The one place of the panel that lists components. */
export const HOLDS: Readonly<Record<Component, Held>> = {
  'text-input': 'text',
  'email-input': 'email',
  'number-input': 'number',
  'textarea-input': 'text',
  'select-input': 'option',
  'checkbox-input': 'options',
  'radio-input': 'option',
  'date-input': 'date',
  'file-input': 'file',
  // For display only.
  'heading-display': 'nothing',
  'paragraph-display': 'nothing',
};

const isKnown = (component: string): component is Component => Object.hasOwn(HOLDS, component);

/** An unknown component is one of this database, and holds text. */
export function heldBy(component: string): Held {
  return isKnown(component) ? HOLDS[component] : 'text';
}

/** Whether a field can have options, and needs some. A checkbox without options is ticked or not; an input of one's own decides. */
export function optionsOf(component: string): 'needed' | 'possible' | 'none' {
  if (!isKnown(component)) return 'possible';
  const held = HOLDS[component];
  return held === 'option' ? 'needed' : held === 'options' ? 'possible' : 'none';
}

/** The components whose options can have places. */
export const CHOICES = COMPONENTS.filter((component) => optionsOf(component) !== 'none');
