// The types of this file are public, so it imports nothing: the package has no dependencies.
export type FormtrailToken = string | (() => string | undefined | Promise<string | undefined>);

/** The events of the element. They bubble, also out of shadow roots. */
export interface FormtrailFormEvents {
  /** A draft was begun, with the first answer, or an earlier one is open. `form` is the UUID of the form. */
  'formtrail-open': CustomEvent<{ readonly submission: string; readonly form: string }>;
  /** Another step is shown. `number` counts the shown steps from 1. */
  'formtrail-step': CustomEvent<{ readonly number: number; readonly count: number; readonly title: string }>;
  /** The person has submitted the answers. */
  'formtrail-complete': CustomEvent<{ readonly submission: string }>;
  /** Another window or program has deleted the draft. The element offers to begin again. */
  'formtrail-gone': CustomEvent<{ readonly submission: string }>;
  /** Opening, saving or another action has failed. The element shows the error itself. */
  'formtrail-error': CustomEvent<{ readonly error: unknown }>;
}
