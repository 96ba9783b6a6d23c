import type { FormSchema, SubmissionRecord, SubmissionWithValues } from 'formtrail-client';
import { type AnswerKey, type PlaceKey, recordIdOf } from './answer-key';
import { type PlacedStep, placedSteps, questionsOf, type States } from './questions';
import type { Messages } from './refusals';

/** How the answers stand with the service. */
export type Saving =
  | { readonly kind: 'saved' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'partly-refused' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'failing'; readonly reason: string };

/** What comes into focus; a new object each time that it is to. */
export type Focus =
  | { readonly on: 'heading' }
  | { readonly on: 'problems' }
  | { readonly on: 'place'; readonly key: PlaceKey }
  | { readonly on: 'entry'; readonly recordId: number };

/** All that the page of a draft shows. */
export interface DraftView {
  readonly form: FormSchema;
  readonly submissionUuid: string;
  readonly steps: readonly PlacedStep[];
  readonly outcome: 'open' | 'completed-here' | 'completed-elsewhere' | 'gone';
  readonly position: number;
  /** Percent. */
  readonly progress: number;
  readonly values: ReadonlyMap<AnswerKey, string>;
  /** The entries of all groups, in the order in which they were added. */
  readonly records: readonly SubmissionRecord[];
  readonly states: States;
  /** What the service refused to store. */
  readonly refusals: Messages;
  /** What keeps the person from going on. */
  readonly problems: Messages;
  /** The same about fields that no step shows. */
  readonly problemsElsewhere: readonly string[];
  readonly saving: Saving;
  readonly busy: 'no' | 'moving' | 'submitting';
  readonly notice: string | undefined;
  readonly announcement: string;
  readonly focus: Focus;
}

/** As it opens; the answers are still to come. */
export function openedView(
  form: FormSchema,
  { uuid, current_step, records }: SubmissionWithValues,
  states: States,
): DraftView {
  const steps = placedSteps(form);
  return {
    form,
    submissionUuid: uuid,
    steps,
    outcome: 'open',
    position: current_step,
    progress: progressAt(current_step, steps.length),
    values: new Map(),
    records,
    states,
    refusals: new Map(),
    problems: new Map(),
    problemsElsewhere: [],
    saving: { kind: 'saved' },
    busy: 'no',
    notice: undefined,
    announcement: '',
    focus: { on: 'heading' },
  };
}

/** Percent, as the service computes it (S8). */
export function progressAt(position: number, steps: number): number {
  return steps === 0 ? 100 : Math.round((position / steps) * 100);
}

/** What appears on the step with these states, for those who do not see it appear. */
export function announcementOf(states: States, view: DraftView): string {
  const step = view.steps[view.position - 1]?.step;
  if (step === undefined) return view.announcement;
  const before = new Set(questionsOf(step, view).map(({ key }) => key));
  const more = questionsOf(step, { ...view, states }).filter(({ key }) => {
    const recordId = recordIdOf(key);
    // Of an entry that was added it is said that it was.
    return !before.has(key) && (recordId === undefined || recordId in view.states.records);
  }).length;
  if (more === 0) return view.announcement;
  return heardAgain(more === 1 ? '1 more question' : `${more} more questions`, view);
}

/** The same text twice would be heard once. */
export function heardAgain(text: string, { announcement }: DraftView): string {
  return text === announcement ? `${text}\u00a0` : text;
}
