/** What clients know how to render; an unknown component is rendered as a plain text input. */
export const COMPONENTS = [
  'text-input',
  'email-input',
  'number-input',
  'textarea-input',
  'select-input',
  'checkbox-input',
  'radio-input',
  'date-input',
  'file-input',
  'heading-display',
  'paragraph-display',
] as const;
export type Component = (typeof COMPONENTS)[number];

/** V8: fields with these components hold no value. */
export const DISPLAY_COMPONENTS: ReadonlySet<string> = new Set(['heading-display', 'paragraph-display']);

/** What fields with these components hold is one of their options, where they have any. */
export const CHOICE_COMPONENTS: ReadonlySet<string> = new Set(['select-input', 'radio-input']);

/** What a field with this component holds is a file, where files are switched on (U1, U3). */
export const FILE_COMPONENT = 'file-input' satisfies Component;

/** The component of each field type that every database begins with, by name. */
export const FIRST_FIELD_TYPES: ReadonlyMap<string, Component> = new Map<string, Component>([
  ['text', 'text-input'],
  ['email', 'email-input'],
  ['number', 'number-input'],
  ['textarea', 'textarea-input'],
  ['select', 'select-input'],
  ['checkbox', 'checkbox-input'],
  ['radio', 'radio-input'],
  ['date', 'date-input'],
  ['file', 'file-input'],
  ['heading', 'heading-display'],
  ['paragraph', 'paragraph-display'],
]);
