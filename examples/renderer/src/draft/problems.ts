import type { Mistake } from 'formtrail-client';
import { sentenceOfMistake } from '../sentences';
import { type AnswerKey, groupKey, type PlaceKey, recordIdOf } from './answer-key';
import type { DraftView } from './draft-view';
import { blocksOf, placesOf, questionsOf, walkedSteps } from './questions';
import type { Messages } from './refusals';

/**
 * What keeps the person from leaving these steps: what the service refused to store, and what it says is required and is
 * empty. Anything else is for the service to judge.
 */
export function problemsOn(positions: readonly number[], view: DraftView): Messages {
  const { steps, values, refusals } = view;
  const problems = new Map<AnswerKey, string>();
  const shown = steps
    .filter(({ position }) => positions.includes(position))
    .flatMap(({ step }) => questionsOf(step, view));
  for (const { key, isRequired } of shown) {
    const refusal = refusals.get(key);
    if (refusal !== undefined) problems.set(key, refusal);
    else if (isRequired && (values.get(key) ?? '') === '') problems.set(key, 'This is required.');
  }
  return problems;
}

/**
 * What keeps the submission from strict completion, on whichever step: the service names fields by their codes, in an entry
 * by `code.<record id>`, and a group that has too few entries by its entity.
 */
export function completionProblems(
  errors: readonly Mistake[],
  view: DraftView,
): { problems: Messages; problemsElsewhere: string[] } {
  const problems = new Map<PlaceKey, string>();
  const problemsElsewhere: string[] = [];
  const keys = keysByName(view);
  for (const mistake of errors) {
    const key =
      mistake.code === 'too_few_records' ? keys.groups.get(mistake.field) : keys.answers.get(mistake.field);
    // By the service's sentence, which names the field: nothing beside it does.
    if (key === undefined) problemsElsewhere.push(mistake.detail);
    else problems.set(key, sentenceOfMistake(mistake));
  }
  return { problems, problemsElsewhere };
}

function keysByName(view: DraftView) {
  const answers = new Map<string, PlaceKey>();
  const groups = new Map<string, PlaceKey>();
  for (const { step } of walkedSteps(view.steps, view)) {
    for (const { field, key } of questionsOf(step, view)) {
      const recordId = recordIdOf(key);
      answers.set(recordId === undefined ? field.code : `${field.code}.${recordId}`, key);
      if (field.is_repeatable || field.entity === null) continue;
      // The one value of such a field is part of each record, and is judged in each.
      for (const record of view.records) answers.set(`${field.code}.${record.id}`, key);
    }
    for (const block of blocksOf(step, view)) {
      if (block.kind === 'group') groups.set(block.entity.name, groupKey(block.entity.name));
    }
  }
  return { answers, groups };
}

/** The first in the order of the form, and the step that it is on. */
export function firstProblem(
  problems: Messages,
  view: DraftView,
): { position: number; key: PlaceKey } | undefined {
  return walkedSteps(view.steps, view)
    .flatMap(({ position, step }) => placesOf(step, view).map(({ key }) => ({ position, key })))
    .find(({ key }) => problems.has(key));
}

/** Strict completion may have left problems on other steps; those stay until they are met. */
export function withoutThoseHere(view: DraftView): Messages {
  const step = view.steps[view.position - 1]?.step;
  const here = new Set(step && placesOf(step, view).map(({ key }) => key));
  return new Map([...view.problems].filter(([key]) => !here.has(key)));
}
