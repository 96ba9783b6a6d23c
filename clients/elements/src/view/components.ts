import type { Component, Field, UnknownComponent } from 'formtrail-client';
import type { ComponentChildren, ComponentType } from 'preact';
import { Checkboxes, RadioButtons, SingleCheckbox } from './choice-inputs.js';
import { makerOf } from '../own-inputs.js';
import { OwnInput } from './own-input.js';
import type { InputProps } from './props.js';
import { DateInput, EmailInput, NumberInput, SelectInput, TextArea, TextInput } from './text-inputs.js';

export interface View {
  /** Several inputs get a legend, and a single one gets a label. A heading and a paragraph are shown without `Input`. */
  readonly kind: 'input' | 'inputs' | 'heading' | 'paragraph';
  readonly Input: ComponentType<InputProps>;
  /** The input of a field without options, which shows the label itself. */
  readonly Single?: ComponentType<InputProps & { readonly label: ComponentChildren }>;
}

const TEXT: View = { kind: 'input', Input: TextInput };
const OWN: View = { kind: 'inputs', Input: OwnInput };

/** No other file of this package lists the components. */
const VIEWS: Record<Exclude<Component, UnknownComponent>, View> = {
  'text-input': TEXT,
  'email-input': { kind: 'input', Input: EmailInput },
  'number-input': { kind: 'input', Input: NumberInput },
  'textarea-input': { kind: 'input', Input: TextArea },
  'select-input': { kind: 'input', Input: SelectInput },
  'checkbox-input': { kind: 'inputs', Input: Checkboxes, Single: SingleCheckbox },
  'radio-input': { kind: 'inputs', Input: RadioButtons },
  'date-input': { kind: 'input', Input: DateInput },
  // See showFiles().
  'file-input': TEXT,
  'heading-display': { ...TEXT, kind: 'heading' },
  'paragraph-display': { ...TEXT, kind: 'paragraph' },
};

/** Gives the element the input for files, which is in the chunk for forms with files. */
export function showFiles(Input: ComponentType<InputProps>): void {
  VIEWS['file-input'] = { kind: 'input', Input };
}

/** An unknown component, for example of a newer service, renders as a text input, unless the page has an input for it. */
export function viewOf({ field_type: { component } }: Field): View {
  if (makerOf(component)) return OWN;
  return Object.hasOwn(VIEWS, component) ? VIEWS[component as keyof typeof VIEWS] : TEXT;
}
