import type { Mistake } from 'formtrail-client';
import { type AnswerKey, groupKey } from './answer-key.js';
import type { Answers } from './answers.js';
import type { DraftStep, PlacedMistake, Saving, ShownDraft, Upload } from './snapshot.js';
import { conflictsOn, mistakesOn, placesOf, shownSteps, stepsOf } from './view.js';

/** What is known of an open draft beside its answers. */
export interface Situation extends Pick<
  ShownDraft,
  'status' | 'endedElsewhere' | 'busy' | 'failure' | 'changedElsewhere'
> {
  readonly position: number;
  /** What the service found wrong with a step, or with the whole. */
  readonly judged: ReadonlyMap<string, Mistake>;
  /** The same of what no step shows. */
  readonly unplaced: readonly Mistake[];
  /** What keeps answers from being saved. */
  readonly trouble: Saving | undefined;
  readonly hasSaved: boolean;
  readonly uploads: ReadonlyMap<AnswerKey, Upload>;
  /** Of files that were refused. */
  readonly refusals: ReadonlyMap<AnswerKey, Mistake>;
}

export const BEGINNING: Situation = {
  status: 'open',
  endedElsewhere: false,
  busy: undefined,
  failure: undefined,
  changedElsewhere: false,
  position: 1,
  judged: new Map(),
  unplaced: [],
  trouble: undefined,
  hasSaved: false,
  uploads: new Map(),
  refusals: new Map(),
};

/** All that is seen of it. */
export function shownDraft(answers: Answers, situation: Situation): ShownDraft {
  const { submission, values, refused, conflicts } = answers;
  const { position, judged, unplaced, trouble, hasSaved, uploads, refusals, ...known } = situation;
  const mistakes = new Map([...judged, ...refused, ...refusals]);
  const seen = { submission, values, mistakes, conflicts, uploads };
  const steps = stepsOf(seen);
  return {
    ...known,
    ...shownSteps(steps, position, seen),
    submission: submission.uuid,
    form: submission.form,
    values: Object.fromEntries(values),
    states: submission.states,
    mistakes: [...mistakesOn(steps), ...unplaced.map(nowhere)],
    conflicts: conflictsOn(steps),
    saving: trouble ?? savingOf(answers, hasSaved),
    isUploading: [...uploads.values()].some(({ state }) => state !== 'refused'),
  };
}

function savingOf({ sendable, refused, conflicts }: Answers, hasSaved: boolean): Saving {
  if (sendable.length > 0) return { kind: 'saving' };
  if (refused.size > 0 || conflicts.size > 0) return { kind: 'incomplete' };
  return { kind: hasSaved ? 'saved' : 'unchanged' };
}

/** Where the mistakes are that the service has found, in addition to those that were found before. */
export function judgedBy(
  mistakes: readonly Mistake[],
  answers: Answers,
  situation: Situation,
): Pick<Situation, 'judged' | 'unplaced'> {
  const shown = new Set(
    shownDraft(answers, situation)
      .steps.flatMap(placesOf)
      .map(({ key }) => key),
  );
  const judged = new Map(situation.judged);
  const unplaced: Mistake[] = [];
  for (const mistake of mistakes) {
    const { code, field } = mistake;
    const key = code === 'too_few_records' ? groupKey(field) : answers.submission.places.keyNamed(field);
    if (key !== undefined && shown.has(key)) judged.set(key, mistake);
    else unplaced.push(mistake);
  }
  return { judged, unplaced };
}

export interface Obstacle {
  readonly outcome: 'mistakes' | 'changed';
  readonly position: number;
}

/** The first of these steps on which the person has something to do. */
export function obstacleOn(...steps: readonly (DraftStep | undefined)[]): Obstacle | undefined {
  for (const step of steps) {
    if (step === undefined) continue;
    const { position } = step;
    if (conflictsOn([step]).length > 0) return { outcome: 'changed', position };
    if (mistakesOn([step]).length > 0) return { outcome: 'mistakes', position };
  }
  return undefined;
}

function nowhere(mistake: Mistake): PlacedMistake {
  return { key: undefined, position: undefined, mistake };
}
