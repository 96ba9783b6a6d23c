import type { Conditions, Entity, Field, FormSchema, Mistake, Step, SubmissionFile } from 'formtrail-client';
import type { AnswerKey, GroupKey } from './answer-key.js';

/** A field that asks for an answer. */
export interface Question {
  readonly kind: 'question';
  readonly key: AnswerKey;
  readonly field: Field;
  /** The user's own answer, or else the stored value; `""` if there is none. */
  readonly value: string;
  readonly isRequired: boolean;
  /** Whether the service computes the answer from others, so that nobody can enter it. `value` is the result after the last save. */
  readonly isComputed: boolean;
  /** Field error of the answer, if any. */
  readonly mistake: Mistake | undefined;
  /** Set if another window stored a different value meanwhile. `value` is not sent until {@link Draft.resolve} is called. */
  readonly conflict: { readonly theirs: string; readonly theirFile: SubmissionFile | undefined } | undefined;
  /** The stored file that `value` references. Undefined if `value` is text, or until the file is loaded. */
  readonly file: SubmissionFile | undefined;
  /** The file that will be the answer once it is uploaded. */
  readonly upload: Upload | undefined;
  /** Places that are left, by the value of the option. Without the options that any number of people can choose. */
  readonly placesLeft: Readonly<Record<string, number>>;
}

/** A file that is being uploaded. */
export interface Upload {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Bytes sent so far. */
  readonly sent: number;
  /**
   * `waiting`: other uploads come first. `interrupted`: the upload failed because of `error`. It restarts when the connection is back,
   * after {@link Draft.retry}, or after a pause. `refused`: the file was rejected, and the question's `mistake` says why. It stays until
   * another file is chosen or {@link Draft.cancelUpload} is called.
   */
  readonly state: 'waiting' | 'uploading' | 'interrupted' | 'refused';
  readonly error: unknown;
  /** Why the file was rejected. */
  readonly mistake: Mistake | undefined;
}

/** A heading or a paragraph, depending on `field.field_type.component`. Its text is the label of the field. */
export interface DisplayText {
  readonly kind: 'text';
  readonly key: AnswerKey;
  readonly field: Field;
}

/** A repeating group of questions: one entry for each receipt or each child, for example. */
export interface Group {
  readonly kind: 'group';
  readonly key: GroupKey;
  readonly entity: Entity;
  /** Entries in the order in which they were added. Empty until the user adds one. */
  readonly entries: readonly Entry[];
  /** Whether another entry can be added. */
  readonly hasRoom: boolean;
  /** Field error of the group, such as too few entries, or a wrong sum of their numbers. */
  readonly mistake: Mistake | undefined;
}

export interface Entry {
  /** Id of its record. */
  readonly id: number;
  /** Position in the group, from 1. It changes when an earlier entry is removed. */
  readonly number: number;
  readonly blocks: readonly (Question | DisplayText)[];
}

export type Block = Question | DisplayText | Group;

/** A visible step with at least one visible field. */
export interface DraftStep extends Pick<Step, 'id' | 'title' | 'description' | 'meta'> {
  /** Position among all steps of the form, from 1, as in `current_step` of a submission (S8). It changes with the form, `id` does not. */
  readonly position: number;
  /** Position among the shown steps, from 1. */
  readonly number: number;
  /** What to show, in this order. */
  readonly blocks: readonly Block[];
}

/** A field error, and where it is shown. */
export interface PlacedMistake {
  /** Key of the question or group. Undefined, like `position`, if no step shows the field. */
  readonly key: string | undefined;
  /** Position of the step, as in {@link DraftStep}. */
  readonly position: number | undefined;
  readonly mistake: Mistake;
}

/** An answer that this window and another window or device have changed differently. */
export interface Conflict {
  readonly key: AnswerKey;
  readonly field: Field;
  readonly mine: string;
  readonly theirs: string;
}

/**
 * Whether the answers are saved. `unchanged`: nothing had to be saved yet. `saving`: answers or files are on their way; while the browser
 * works on the proof of work of a public form, `progress` is the part of the numbers that have been tried, from 0 to 1. `incomplete`:
 * some answers or files were rejected, interrupted or are in conflict, and all others are saved. The questions show why. `offline`, `signed-out` and `failing`: saving failed because of
 * `error`. Sending is repeated when the connection is back, after {@link Draft.retry}, and for temporary errors after a pause. Until
 * then the answers stay on the device.
 */
export type Saving =
  | { readonly kind: 'unchanged' | 'saved' | 'incomplete' }
  | { readonly kind: 'saving'; readonly progress?: number }
  | { readonly kind: 'offline' | 'signed-out' | 'failing'; readonly error: unknown };

/**
 * Which fields are visible and required: `data` by field id, and `records` by record id, then field id. `steps` and `entities` say
 * which steps and groups are visible.
 */
export type States = Conditions<'map', 'records', true>;

/**
 * Set if the user is a visitor without an account. They become a respondent, with a token in this browser, with the first answer. `expired`: the token is no longer
 * valid, and the answers stay on the device. Ask for a resume code ({@link Draft.resume}), or whether to begin again
 * ({@link Draft.beginAgain}).
 */
export type RespondentState = 'active' | 'expired' | undefined;

/** A change of the form while the user was filling it in. Answers to the other questions are kept. */
export interface FormChange {
  /** Visible questions that the form did not have before, on any step. */
  readonly added: readonly Field[];
  /**
   * Answers to questions that the form no longer asks. Those that were saved stay with the submission, also when it is completed.
   * Unsaved ones are dropped. Show them once, so that the user can keep the text.
   */
  readonly removed: readonly { readonly field: Field; readonly value: string }[];
  /** Questions whose type has changed under an answer. Ask the user to check these answers. */
  readonly retyped: readonly AnswerKey[];
}

/** Snapshot of a draft that has been opened. */
export interface ShownDraft {
  /** A `completed` or `discarded` draft can no longer be changed. */
  readonly status: 'open' | 'completed' | 'discarded';
  /** Whether another window, device or program completed or deleted the draft. */
  readonly endedElsewhere: boolean;
  /** UUID of the submission. Undefined until it is begun, with the first answer. */
  readonly submission: string | undefined;
  readonly form: FormSchema;
  /** The visible steps with at least one visible field. */
  readonly steps: readonly DraftStep[];
  /** The step that the user is on. Undefined if no step is shown. */
  readonly step: DraftStep | undefined;
  readonly isFirstStep: boolean;
  readonly isLastStep: boolean;
  /** Position as a percentage of the shown steps, from 0 to 100 (C13). */
  readonly progress: number;
  /** All answers, including computed ones, those to hidden questions, and the default values on the current step. */
  readonly values: Readonly<Record<AnswerKey, string>>;
  readonly states: States;
  /** Field errors in the order of the form. Those that no step shows come last. */
  readonly mistakes: readonly PlacedMistake[];
  readonly conflicts: readonly Conflict[];
  readonly saving: Saving;
  /** Whether uploads are unfinished. Closing the page would lose them. */
  readonly isUploading: boolean;
  /** The action that is running, if any. Further actions resolve to `busy` until it ends. */
  readonly busy: 'moving' | 'completing' | 'discarding' | undefined;
  /** Error of the last action, if it failed. Reset by the next action. */
  readonly failure: unknown;
  /** Whether another window has changed shown answers or entries since the last action. */
  readonly changedElsewhere: boolean;
  /** The changes of the form since the last action. Undefined if its questions are the same. */
  readonly formChanged: FormChange | undefined;
  readonly respondent: RespondentState;
  /**
   * Why the form takes no answers, with one of these codes. `not_open_yet`, `closed` and `inactive_form`: no submission can be begun. An
   * open draft is `closed` only if the form closes drafts. `quota_reached` and `already_answered`: none can be begun or completed.
   */
  readonly unavailable: Mistake | undefined;
  /** Whether answers can only be read, because the form is `unavailable`. Actions then resolve to `ended`, except {@link Draft.discard}. */
  readonly isReadOnly: boolean;
}

/**
 * `loading`: `progress` is the part of the numbers that have been tried, from 0 to 1, while the browser works on the proof of work
 * of a public form. `failed`: the draft could not be opened. For temporary errors, opening is repeated after a pause; see also
 * {@link Draft.retry}.
 */
export type DraftSnapshot =
  | { readonly status: 'loading'; readonly progress?: number; readonly respondent?: undefined }
  | { readonly status: 'failed'; readonly error: unknown; readonly respondent?: RespondentState }
  | ShownDraft;
