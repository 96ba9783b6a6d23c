import type { Sentences } from '../sentences.js';

/** The texts of the list of forms. Not with the others, because only some pages show the list. */
export const LIST_ENGLISH = {
  forms: 'Forms',
  drafts: 'Continue where you left off',
  beginForm: 'Begin a form',
  submitted: 'Submitted',
  noForms: 'There are no forms here.',
  continueDraft: 'Continue',
  begin: 'Begin',
  beginNew: 'Begin a new one',
  show: 'Show the answers',
  showMore: 'Show more',
  lastChanged: (when, step) => `Last changed ${when}${step ? `, at “${step}”` : ''}`,
  hasDraft: (when) => `You have a draft of this form, last changed ${when}.`,
  deleteDraft: 'Delete',
  confirmDeletion: (form) => `Delete your answers to “${form}”? This cannot be undone.`,
} satisfies Partial<Sentences>;
