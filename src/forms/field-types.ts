/** V8: fields with these components hold no value. */
export const DISPLAY_COMPONENTS: ReadonlySet<string> = new Set(['heading-display', 'paragraph-display']);

/** What fields with these components hold is one of their options, where they have any. */
export const CHOICE_COMPONENTS: ReadonlySet<string> = new Set(['select-input', 'radio-input']);

/** The component of each field type that every database begins with, by name. */
export const FIRST_FIELD_TYPES: ReadonlyMap<string, string> = new Map([
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
