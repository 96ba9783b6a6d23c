/** The properties of each part of a form that can be translated. */
export const TRANSLATED_KEYS = {
  form: ['name', 'description'],
  step: ['title', 'description'],
  field: ['label', 'placeholder', 'description'],
  option: ['label'],
  entity: ['label'],
  rule: ['message'],
} as const;
