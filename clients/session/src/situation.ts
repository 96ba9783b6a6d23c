import type { Mistake } from 'formtrail-client';
import { type AnswerKey, groupKey } from './answer-key.js';
import type { Answers } from './answers.js';
import type { DraftStep, Saving, ShownDraft, Upload } from './snapshot.js';
import { conflictsOn, mistakesOn, placesOf, shownSteps, stepsOf } from './view.js';

/** State of an open draft, except its answers. */
export interface Situation extends Pick<
  ShownDraft,
  | 'status'
  | 'endedElsewhere'
  | 'isUploading'
  | 'busy'
  | 'failure'
  | 'changedElsewhere'
  | 'formChanged'
  | 'respondent'
> {
  readonly position: number;
  /** Field errors that the service found when it validated a step or the submission, by question or group. */
  readonly invalid: ReadonlyMap<string, Mistake>;
  /** Field errors of the service about fields that no step shows. */
  readonly unplaced: readonly Mistake[];
  /** Why answers cannot be saved at the moment. */
  readonly trouble: Saving | undefined;
  readonly hasSaved: boolean;
  readonly uploads: ReadonlyMap<AnswerKey, Upload>;
}

export const BEGINNING: Situation = {
  status: 'open',
  endedElsewhere: false,
  isUploading: false,
  busy: undefined,
  failure: undefined,
  changedElsewhere: false,
  formChanged: undefined,
  respondent: undefined,
  position: 1,
  invalid: new Map(),
  unplaced: [],
  trouble: undefined,
  hasSaved: false,
  uploads: new Map(),
};

export function shownDraft(answers: Answers, situation: Situation): ShownDraft {
  const { submission, values, refused, conflicts } = answers;
  const { position, invalid, unplaced, trouble, hasSaved, uploads, ...known } = situation;
  const mistakes = new Map([...invalid, ...refused]);
  const input = { submission, values, mistakes, conflicts, uploads };
  const steps = stepsOf(input);
  return {
    ...known,
    ...shownSteps(steps, position),
    submission: submission.uuid,
    form: submission.form,
    values: Object.fromEntries(values),
    states: submission.states,
    mistakes: [
      ...mistakesOn(steps),
      ...unplaced.map((mistake) => ({ key: undefined, position: undefined, mistake })),
    ],
    conflicts: conflictsOn(steps),
    saving: trouble ?? savingOf(answers, situation, hasSaved),
  };
}

function savingOf(
  { sendable, refused, conflicts }: Answers,
  { uploads }: Situation,
  hasSaved: boolean,
): Saving {
  const onTheirWay = [...uploads.values()].some(({ state }) => state === 'waiting' || state === 'uploading');
  if (sendable.length > 0 || onTheirWay) return { kind: 'saving' };
  if (refused.size + conflicts.size + uploads.size > 0) return { kind: 'incomplete' };
  return { kind: hasSaved ? 'saved' : 'unchanged' };
}

/** Adds field errors of the service to `invalid`, by the question or group that shows them. `unplaced` gets all other errors. */
export function withMistakes(
  mistakes: readonly Mistake[],
  answers: Answers,
  situation: Situation,
): Pick<Situation, 'invalid' | 'unplaced'> {
  const shown = new Set(
    shownDraft(answers, situation)
      .steps.flatMap(placesOf)
      .map(({ key }) => key),
  );
  const invalid = new Map(situation.invalid);
  const unplaced: Mistake[] = [];
  for (const mistake of mistakes) {
    const { code, field } = mistake;
    const key = code === 'too_few_records' ? groupKey(field) : answers.submission.places.keyOfError(field);
    if (key !== undefined && shown.has(key)) invalid.set(key, mistake);
    else unplaced.push(mistake);
  }
  return { invalid, unplaced };
}

export interface Obstacle {
  readonly outcome: 'mistakes' | 'changed';
  readonly position: number;
}

/** The first of these steps with a conflict or a field error, if any. */
export function obstacleOn(...steps: readonly (DraftStep | undefined)[]): Obstacle | undefined {
  for (const step of steps) {
    if (step === undefined) continue;
    const { position } = step;
    if (conflictsOn([step]).length > 0) return { outcome: 'changed', position };
    if (mistakesOn([step]).length > 0) return { outcome: 'mistakes', position };
  }
  return undefined;
}
