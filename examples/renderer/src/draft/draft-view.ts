import type { ConditionsMap, FormSchema, SubmissionWithValues } from 'formtrail-client';
import type { AnswerKey } from './answer-key';
import { isQuestion, type PlacedStep, placedSteps } from './questions';
import type { Messages } from './refusals';
import type { StoredAnswers } from './stored-answers';

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
  | { readonly on: 'answer'; readonly key: AnswerKey };

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
  /** Of the entries of repeatable fields: {@link StoredAnswers}. */
  readonly records: StoredAnswers['records'];
  readonly states: ConditionsMap;
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
  { uuid, current_step }: SubmissionWithValues,
  states: ConditionsMap,
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
    records: [null],
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
export function announcementOf(states: ConditionsMap, { steps, position, ...view }: DraftView): string {
  const questions = steps[position - 1]?.step.fields.filter(isQuestion) ?? [];
  const more = questions.filter(({ id }) => states[id]?.visible && !view.states[id]?.visible).length;
  if (more === 0) return view.announcement;
  const announcement = more === 1 ? '1 more question' : `${more} more questions`;
  // The same text twice would be heard once.
  return announcement === view.announcement ? `${announcement}\u00a0` : announcement;
}
