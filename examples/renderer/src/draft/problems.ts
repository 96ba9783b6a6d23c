import type { AnswerKey } from './answer-key';
import type { DraftView } from './draft-view';
import { answerKeys, isQuestion, visibleFields, walkedSteps } from './questions';
import { aboutThis, type Messages } from './refusals';

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

/** What keeps the submission from strict completion: the service names fields by their codes, on whichever step. */
export function completionProblems(
  errors: Readonly<Record<string, readonly string[]>>,
  { steps, states, records }: DraftView,
): { problems: Messages; problemsElsewhere: string[] } {
  const shown = walkedSteps(steps, states).flatMap(({ step }) => visibleFields(step, states));
  const problems = new Map<AnswerKey, string>();
  const problemsElsewhere: string[] = [];
  for (const [code, [message = '']] of Object.entries(errors)) {
    const field = shown.find((candidate) => candidate.code === code);
    const [key] = field ? answerKeys(field, records) : [];
    if (key === undefined) problemsElsewhere.push(message);
    else problems.set(key, aboutThis(message, code));
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
