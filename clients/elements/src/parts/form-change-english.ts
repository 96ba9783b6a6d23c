import type { Sentences } from '../sentences.js';

/** The texts about a change of the form. Not with the others, because few people see them. */
export const FORM_CHANGE_ENGLISH = {
  formChanged: 'This form has changed while you were filling it in. Your other answers are kept.',
  addedQuestions: 'These questions are new:',
  removedQuestions:
    'These questions are no longer asked. Saved answers stay with the people who receive this form:',
} satisfies Partial<Sentences>;
