import { waitText, withArticle } from 'formtrail-session/sentences';
import type { DEVICE_ENGLISH } from './parts/device-english.js';
import type { FILES_ENGLISH } from './parts/files-english.js';
import type { FORM_CHANGE_ENGLISH } from './parts/form-change-english.js';
import type { LIST_ENGLISH } from './parts/list-english.js';

/** The texts of the element. A host replaces them for each language; see `sentences` of the element. */
export interface Sentences {
  /** Shown beside labels. */
  readonly optional: string;
  readonly required: string;
  /** Follows a link, for screen readers. */
  readonly newTab: string;
  readonly chooseOne: string;
  readonly clearChoice: string;
  /** A choice has unticked others, because they exclude one another. */
  readonly unticked: (options: string) => string;
  /** Follows an option that few people can still choose, or nobody. */
  readonly placesLeft: (count: number) => string;
  readonly next: string;
  readonly back: string;
  readonly review: string;
  readonly submit: string;
  readonly submitting: string;
  readonly checking: string;
  readonly uploading: string;
  readonly change: string;
  readonly tryAgain: string;
  readonly stepOf: (number: number, count: number) => string;
  /** Shown with all answers, after the last of so many steps. */
  readonly allSteps: (count: number) => string;
  readonly progress: string;
  /** The outline of the steps, and its mark for steps that the person has passed. */
  readonly steps: string;
  readonly passed: string;

  readonly allForms: string;
  readonly forms: string;
  readonly drafts: string;
  readonly beginForm: string;
  readonly submitted: string;
  readonly noForms: string;
  readonly continueDraft: string;
  readonly begin: string;
  readonly beginNew: string;
  readonly show: string;
  readonly showMore: string;
  /** `when` is a text such as "3 minutes ago". */
  readonly lastChanged: (when: string, step: string | undefined) => string;
  readonly hasDraft: (when: string) => string;
  readonly deleteDraft: string;
  readonly confirmDeletion: (form: string) => string;

  readonly loading: string;
  /** Shown while the browser computes a proof of work, which the first save needs. */
  readonly preparing: string;
  readonly failed: string;
  readonly gone: string;
  readonly signIn: string;

  readonly problems: string;
  readonly error: string;

  readonly reviewIntroduction: string;
  readonly noAnswer: string;
  /** Shown instead of an answer that is required. */
  readonly missing: string;
  readonly noEntries: string;
  readonly yes: string;
  readonly no: string;
  /** Between the parts of a list. */
  readonly separator: string;

  readonly completed: string;
  readonly completedText: string;
  readonly reference: string;

  readonly saving: string;
  readonly saved: string;
  readonly savedExcept: string;
  /** The service has received too many requests. */
  readonly waiting: (seconds: number) => string;
  readonly offline: string;
  readonly notSaved: string;

  readonly add: (entity: string) => string;
  /** How many entries a group needs. */
  readonly atLeast: (count: number) => string;
  readonly remove: string;
  readonly removeEntry: (entry: string) => string;
  readonly added: (entry: string) => string;
  readonly removed: (entry: string) => string;
  readonly confirmRemoval: (entry: string) => string;
  readonly moreQuestions: (count: number) => string;
  readonly charactersLeft: (count: number) => string;

  readonly cancel: string;
  readonly chooseFile: string;
  readonly chooseAnother: string;
  readonly uploadingFile: (name: string) => string;
  readonly uploaded: (name: string) => string;
  readonly isChecked: string;
  readonly isInfected: string;
  readonly isWaiting: string;
  readonly isInterrupted: string;
  readonly isRefused: string;
  readonly fileWithoutName: string;
  /** Names of files for which there is no room. */
  readonly leftOut: (names: string) => string;
  /** `accept` of the field, such as `application/pdf, image/*`. */
  readonly fileTypes: (accept: string) => string;
  readonly upTo: (size: string) => string;

  readonly conflicts: string;
  readonly conflictsText: string;
  readonly here: string;
  readonly elsewhere: string;
  readonly keep: string;
  readonly changedElsewhere: string;
  readonly formChanged: string;
  readonly addedQuestions: string;
  readonly removedQuestions: string;
  readonly retyped: string;

  readonly otherDevice: string;
  readonly otherDeviceText: (date: string) => string;
  readonly orLink: string;
  readonly code: string;
  readonly codeText: string;
  readonly haveCode: string;
  readonly useCode: string;
  readonly withoutCode: string;
  readonly enterCode: string;
  readonly codeRefused: string;
  readonly expired: string;
  readonly expiredText: string;
  readonly beginAgain: string;
}

/** The English texts, except for those that a part has with its code. */
export const ENGLISH: Omit<
  Sentences,
  keyof (typeof LIST_ENGLISH & typeof FILES_ENGLISH & typeof DEVICE_ENGLISH & typeof FORM_CHANGE_ENGLISH)
> = {
  optional: '(optional)',
  required: '',
  newTab: '(opens in a new tab)',
  chooseOne: 'Choose one',
  clearChoice: 'Clear the choice',
  unticked: (options) => `No longer chosen: ${options}`,
  placesLeft: (count) => `(${count || 'no'} ${count === 1 ? 'place' : 'places'} left)`,
  next: 'Next',
  back: 'Back',
  review: 'Check your answers',
  submit: 'Submit',
  submitting: 'Submitting…',
  checking: 'Checking…',
  uploading: 'Uploading…',
  change: 'Change',
  tryAgain: 'Try again',
  stepOf: (number, count) => `Step ${number} of ${count}`,
  allSteps: (count) => `All ${count} steps done`,
  progress: 'Progress',
  steps: 'Steps',
  passed: '(done)',

  allForms: 'All forms',

  loading: 'Loading the form…',
  preparing: 'Saving for the first time takes a few seconds. This keeps automated programs out.',
  failed: 'The form could not be opened',
  gone: 'These answers were deleted, or they belong to someone else.',
  signIn: 'Sign in to fill in this form.',

  problems: 'There is a problem',
  error: 'Error:',

  reviewIntroduction: 'You cannot change your answers after you submit them.',
  noAnswer: 'Not answered',
  missing: 'Still needs an answer',
  noEntries: 'None added',
  yes: 'Yes',
  no: 'No',
  separator: ', ',

  completed: 'Thank you',
  completedText: 'Your answers have been submitted.',
  reference: 'Your reference',

  saving: 'Saving…',
  saved: 'Saved',
  savedExcept: 'Saved, except for the marked answers',
  waiting: (seconds) => `Too many requests. Continuing in ${waitText(seconds)}`,
  offline: 'You are offline; your answers are kept on this device',
  notSaved: 'Not saved yet; your answers are kept on this device',

  add: (entity) => `Add ${withArticle(entity)}`,
  atLeast: (count) => `At least ${count}`,
  remove: 'Remove',
  removeEntry: (entry) => `Remove ${entry}`,
  added: (entry) => `${entry} added`,
  removed: (entry) => `${entry} removed`,
  confirmRemoval: (entry) => `Remove ${entry} with the answers in it?`,
  moreQuestions: (count) => (count === 1 ? '1 more question' : `${count} more questions`),
  charactersLeft: (count) =>
    count < 0
      ? `${-count} ${count === -1 ? 'character' : 'characters'} too many`
      : `${count} ${count === 1 ? 'character' : 'characters'} left`,

  cancel: 'Cancel',
  fileWithoutName: 'A file',

  conflicts: 'Answered differently elsewhere',
  conflictsText: 'Another window or device has stored different answers. Choose which ones to keep:',
  here: 'Here',
  elsewhere: 'Elsewhere',
  keep: 'Keep this answer',
  changedElsewhere:
    'These answers were changed in another window or on another device. Check them, then continue.',
  retyped: 'This question has changed. Check your answer.',

  beginAgain: 'Begin again',
};

export type ErrorSentence = string | ((params: Readonly<Record<string, unknown>>) => string);

/**
 * Texts by language, such as `de` or `de-AT`. The texts of the element replace missing ones. `errors` has a sentence for each code of the service, such
 * as `required`; the params of the error are passed to functions.
 */
export type GivenSentences = Readonly<
  Record<string, Partial<Sentences> & { readonly errors?: Readonly<Record<string, ErrorSentence>> }>
>;
