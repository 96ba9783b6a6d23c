import type { Conditions, Entity, Field, FormSchema, Mistake, Step, SubmissionFile } from 'formtrail-client';
import type { AnswerKey, GroupKey } from './answer-key.js';

/** A field that asks for an answer. */
export interface Question {
  readonly kind: 'question';
  readonly key: AnswerKey;
  readonly field: Field;
  /** What the person sees: their own answer, or what is stored; `""` where there is none. */
  readonly value: string;
  readonly isRequired: boolean;
  readonly mistake: Mistake | undefined;
  /** Set where another window stored something else meanwhile: `value` is not sent before {@link Draft.resolve}. */
  readonly conflict: { readonly theirs: string; readonly theirFile: SubmissionFile | undefined } | undefined;
  /** What `value` stands for; undefined where it is a text, or as long as it is not known. */
  readonly file: SubmissionFile | undefined;
  /** What is to be the answer once the service has it. */
  readonly upload: Upload | undefined;
}

/** A file on its way to the service. */
export interface Upload {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Bytes, so far. */
  readonly sent: number;
  /**
   * `waiting` for others to end. `interrupted`, because of `error`: it begins again when the connection is back, after
   * {@link Draft.retry}, after a while. `refused`: the question says why, until another file is given, or this one is
   * given up.
   */
  readonly state: 'waiting' | 'uploading' | 'interrupted' | 'refused';
  readonly error: unknown;
}

/** A heading or a paragraph (`field.field_type.component` says which): its text is the label of the field. */
export interface DisplayText {
  readonly kind: 'text';
  readonly key: AnswerKey;
  readonly field: Field;
}

/** What is filled in once for each thing that there is: each receipt, each child. */
export interface Group {
  readonly kind: 'group';
  readonly key: GroupKey;
  readonly entity: Entity;
  /** In the order in which they were added; none that nobody added. */
  readonly entries: readonly Entry[];
  /** Whether the form allows for another entry. */
  readonly hasRoom: boolean;
  readonly mistake: Mistake | undefined;
}

export interface Entry {
  /** Of its record. */
  readonly id: number;
  /** Its place in the group, from 1: those after an entry that is removed move up. */
  readonly number: number;
  readonly blocks: readonly (Question | DisplayText)[];
}

export type Block = Question | DisplayText | Group;

/** A step that there is something to see on. */
export interface DraftStep extends Pick<Step, 'title' | 'description' | 'meta'> {
  /** Among all steps of the form, from 1, which is what a submission's `current_step` means (S8). */
  readonly position: number;
  /** Among the steps that are shown, from 1. */
  readonly number: number;
  /** What to show, in this order. */
  readonly blocks: readonly Block[];
}

/** A mistake, and where it is. */
export interface PlacedMistake {
  /** That of a question or a group; undefined, with `position`, where no step shows what it is about. */
  readonly key: string | undefined;
  readonly position: number | undefined;
  readonly mistake: Mistake;
}

/** An answer that this window and another have changed differently. */
export interface Conflict {
  readonly key: AnswerKey;
  readonly field: Field;
  readonly mine: string;
  readonly theirs: string;
}

/**
 * How the answers stand with the service. `unchanged`: nothing had to be saved yet. `incomplete`: all is saved but what was
 * refused or is in conflict, which the questions say. The last three are tried again: when the connection is back, after
 * {@link Draft.retry}, after a while; the answers are on the device meanwhile.
 */
export type Saving =
  | { readonly kind: 'unchanged' | 'saving' | 'saved' | 'incomplete' }
  | { readonly kind: 'offline' | 'signed-out' | 'failing'; readonly error: unknown };

/** Of each field by its id, and of the fields of each entry by the id of its record. */
export type States = Conditions<'map', 'records'>;

/** The draft as it is seen. */
export interface ShownDraft {
  /** A draft that was `completed` or `discarded` takes no more changes. */
  readonly status: 'open' | 'completed' | 'discarded';
  /** Whether it was another window, device or program that ended it. */
  readonly endedElsewhere: boolean;
  /** The UUID of the submission. */
  readonly submission: string;
  readonly form: FormSchema;
  /** Those with something to show, by what the service says is visible now. */
  readonly steps: readonly DraftStep[];
  /** The one that the person is on; undefined where there is no step to show. */
  readonly step: DraftStep | undefined;
  readonly isFirstStep: boolean;
  readonly isLastStep: boolean;
  /** Percent, as the service counts it (S8): hidden steps count too. */
  readonly progress: number;
  /** All answers, those to hidden questions included. */
  readonly values: Readonly<Record<AnswerKey, string>>;
  readonly states: States;
  /** In the order of the form; what no step shows comes last. */
  readonly mistakes: readonly PlacedMistake[];
  readonly conflicts: readonly Conflict[];
  readonly saving: Saving;
  /** Whether files are on their way, which closing the page would end. */
  readonly isUploading: boolean;
  /** What is under way; actions that are asked for meanwhile do nothing. */
  readonly busy: 'moving' | 'completing' | 'discarding' | undefined;
  /** Why the last action did not happen, until the next one is asked for. */
  readonly failure: unknown;
  /** Something that is shown was changed by another window since the last action. */
  readonly changedElsewhere: boolean;
}

/** `failed` where it cannot be opened; it is tried again as {@link Saving} is. */
export type DraftSnapshot =
  { readonly status: 'loading' } | { readonly status: 'failed'; readonly error: unknown } | ShownDraft;
