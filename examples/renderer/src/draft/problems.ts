import type { Mistake } from 'formtrail-client';
import { sentenceOfMistake } from '../sentences';
import { type AnswerKey, answerKey } from './answer-key';
import type { DraftView } from './draft-view';
import { answerKeys, isQuestion, visibleFields, walkedSteps } from './questions';
import type { Messages } from './refusals';

/**
 * What keeps the person from leaving these steps: what the service refused to store, and what it says is required and is
 * empty. Anything else is for the service to judge.
 */
export function problemsOn(positions: readonly number[], view: DraftView): Messages {
  const { steps, states, values, records, refusals } = view;
  const problems = new Map<AnswerKey, string>();
  const shown = steps
    .filter(({ position }) => positions.includes(position))
    .flatMap(({ step }) => visibleFields(step, states).filter(isQuestion));
  for (const field of shown) {
    const keys = answerKeys(field, records);
    for (const key of keys) {
      const refusal = refusals.get(key);
      if (refusal !== undefined) problems.set(key, refusal);
    }
    // Of a repeatable field the value of any entry will do, for the service too.
    const isEmpty = keys.every((key) => (values.get(key) ?? '') === '');
    const [first] = keys;
    if (first !== undefined && isEmpty && states[field.id]?.required)
      problems.set(first, 'This is required.');
  }
  return problems;
}

/**
 * What keeps the submission from strict completion: the service names fields by their codes, on whichever step, and in an
 * entity record by `code.<record id>`.
 */
export function completionProblems(
  errors: readonly Mistake[],
  { steps, states, records }: DraftView,
): { problems: Messages; problemsElsewhere: string[] } {
  const shown = walkedSteps(steps, states).flatMap(({ step }) => visibleFields(step, states));
  const problems = new Map<AnswerKey, string>();
  const problemsElsewhere: string[] = [];
  const keys = new Map<string, AnswerKey>();
  for (const field of shown) {
    for (const recordId of records) {
      const name = recordId === null ? field.code : `${field.code}.${recordId}`;
      keys.set(name, answerKey(field.id, field.is_repeatable ? recordId : null));
    }
  }
  for (const mistake of errors) {
    const key = keys.get(mistake.field);
    // By the service's sentence, which names the field: nothing beside it does.
    if (key === undefined) problemsElsewhere.push(mistake.detail);
    else problems.set(key, sentenceOfMistake(mistake));
  }
  return { problems, problemsElsewhere };
}

/** The first in the order of the form, and the step that it is on. */
export function firstProblem(
  problems: Messages,
  { steps, states, records }: DraftView,
): { position: number; key: AnswerKey } | undefined {
  return walkedSteps(steps, states)
    .flatMap(({ position, step }) =>
      step.fields.flatMap((field) => answerKeys(field, records)).map((key) => ({ position, key })),
    )
    .find(({ key }) => problems.has(key));
}

/** Strict completion may have left problems on other steps; those stay until they are met. */
export function withoutThoseHere({ steps, position, records, problems }: DraftView): Messages {
  const here = steps[position - 1]?.step.fields.flatMap((field) => answerKeys(field, records)) ?? [];
  return new Map([...problems].filter(([key]) => !here.includes(key)));
}
