/** Components that clients can render. Clients render an unknown component as a plain text input. */
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

/** Fields with these components have no value (V8). */
export const DISPLAY_COMPONENTS: ReadonlySet<string> = new Set(['heading-display', 'paragraph-display']);

/** The value of a field with one of these components is one of the field's options, if the field has options. */
export const CHOICE_COMPONENTS: ReadonlySet<string> = new Set(['select-input', 'radio-input']);

/** The value of a field with this component is a file if files are enabled (U1, U3). */
export const FILE_COMPONENT = 'file-input' satisfies Component;

/** Field types of a new database: type names and their components. */
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
