import type { Mistake } from 'formtrail-client';
import { type AnswerKey, groupKey } from './answer-key.js';
import type { Answers } from './answers.js';
import type { DraftStep, Saving, ShownDraft, Upload } from './snapshot.js';
import { conflictsOn, mistakesOn, placesOf, positionOf, shownSteps, stepsOf } from './view.js';

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
  /** Id of the shown step. Undefined if the form has no steps. */
  readonly stepId: number | undefined;
  /** Field errors that the service found when it validated a step or the submission, by question or group. */
  readonly invalid: ReadonlyMap<string, Mistake>;
  /** Field errors of the service about fields that no step shows. */
  readonly unplaced: readonly Mistake[];
  /** Why answers cannot be saved at the moment. */
  readonly trouble: Saving | undefined;
  readonly hasSaved: boolean;
  /** Progress of the proof of work that the first answer waits for. */
  readonly proof: number | undefined;
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
  stepId: undefined,
  invalid: new Map(),
  unplaced: [],
  trouble: undefined,
  hasSaved: false,
  proof: undefined,
  uploads: new Map(),
};

export function shownDraft(answers: Answers, situation: Situation): ShownDraft {
  const { submission, refused, conflicts } = answers;
  const values = new Map([...answers.values, ...submission.computed]);
  const { stepId, invalid, unplaced, trouble, hasSaved, proof, uploads, ...known } = situation;
  const mistakes = new Map([...invalid, ...refused]);
  const input = { submission, values, mistakes, conflicts, uploads };
  const steps = stepsOf(input);
  const unavailable = situation.status === 'open' ? submission.limits?.unavailable : undefined;
  const isReadOnly = unavailable !== undefined && (!submission.uuid || unavailable.code === 'closed');
  return {
    ...known,
    ...shownSteps(steps, positionOf(stepId, submission.form)),
    submission: submission.uuid || undefined,
    form: submission.form,
    values: Object.fromEntries(values),
    states: submission.states,
    mistakes: [
      ...mistakesOn(steps),
      ...unplaced.map((mistake) => ({ key: undefined, position: undefined, mistake })),
    ],
    conflicts: conflictsOn(steps),
    saving:
      proof === undefined
        ? (trouble ?? savingOf(answers, situation, hasSaved, isReadOnly))
        : { kind: 'saving', progress: proof },
    unavailable,
    isReadOnly,
  };
}

function savingOf(
  { sendable, refused, conflicts }: Answers,
  { uploads }: Situation,
  hasSaved: boolean,
  isReadOnly: boolean,
): Saving {
  const onTheirWay = [...uploads.values()].some(({ state }) => state === 'waiting' || state === 'uploading');
  if (sendable.length > 0 || onTheirWay) return { kind: isReadOnly ? 'incomplete' : 'saving' };
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
  const { places } = answers.submission;
  for (const found of mistakes) {
    const { code, field, params } = found;
    // A sentence names the other question of a rule, or the question whose numbers are added up.
    const label = places.fieldOf(params['other_field_code'] ?? (/^sum/.test(code) && field))?.label;
    const mistake = label === undefined ? found : { ...found, params: { ...params, label } };
    const key = code === 'too_few_records' ? groupKey(field) : places.keyOfError(field);
    if (key !== undefined && shown.has(key)) invalid.set(key, mistake);
    else unplaced.push(mistake);
  }
  return { invalid, unplaced };
}

export interface Obstacle {
  readonly outcome: 'mistakes' | 'changed';
  /** The step. */
  readonly id: number;
}

/** The first of these steps with a conflict or a field error, if any. */
export function obstacleOn(...steps: readonly (DraftStep | undefined)[]): Obstacle | undefined {
  for (const step of steps) {
    if (step === undefined) continue;
    const { id } = step;
    if (conflictsOn([step]).length > 0) return { outcome: 'changed', id };
    if (mistakesOn([step]).length > 0) return { outcome: 'mistakes', id };
  }
  return undefined;
}
