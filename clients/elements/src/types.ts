// The types of this file are public, so it imports nothing: the package has no dependencies.
export type FormtrailToken = string | (() => string | undefined | Promise<string | undefined>);

/** The events of the element. They bubble, also out of shadow roots. */
export interface FormtrailFormEvents {
  /** A draft was begun, with the first answer, or an earlier one is open. `form` is the UUID of the form. */
  'formtrail-open': CustomEvent<{ readonly submission: string; readonly form: string }>;
  /** Another step is shown. `number` counts the shown steps from 1. */
  'formtrail-step': CustomEvent<{ readonly number: number; readonly count: number; readonly title: string }>;
  /** All answers are shown, before they are submitted. */
  'formtrail-review': CustomEvent<{ readonly count: number; readonly title: string }>;
  /** The person has submitted the answers. */
  'formtrail-complete': CustomEvent<{ readonly submission: string }>;
  /** Another window or program has deleted the draft. The element offers to begin again. */
  'formtrail-gone': CustomEvent<{ readonly submission: string }>;
  /** Opening, saving or another action has failed. The element shows the error itself. */
  'formtrail-error': CustomEvent<{ readonly error: unknown }>;
}

/** The properties of an input of the page. It gets them again after each change. */
export interface OwnInputProps {
  /** The answer, or `""`. */
  readonly value: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** Places that are left, by the value of the option. Without the options that any number of people can choose. */
  readonly placesLeft: Readonly<Record<string, number>>;
  readonly isRequired: boolean;
  /** Says what is wrong with the answer. The element shows it too. */
  readonly mistake: string | undefined;
  /** `meta` of the field. */
  readonly meta: Readonly<Record<string, unknown>> | null;
  /** Ids of the label, and of the description and the error, for `aria-labelledby` and `aria-describedby`. */
  readonly labelledBy: string;
  readonly describedBy: string | undefined;
  /** Such as `en-GB`. */
  readonly language: string;
  /** Changes the answer. It is always the same function. */
  readonly change: (value: string) => void;
}

/** An input of the page for one question. */
export interface OwnInput {
  /** Called at first, and after each change, also of the answer by another window. */
  readonly update: (props: OwnInputProps) => void;
  /** Moves the focus to the input. */
  readonly focus: () => void;
  /** Called when the question disappears. */
  readonly remove?: () => void;
}

/** Adds an input to a place, which is in the shadow root of the element. */
export type MakeInput = (place: HTMLElement, props: OwnInputProps) => OwnInput;
