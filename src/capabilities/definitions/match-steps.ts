import { groupBy } from '../../forms/group-by.js';
import type { DefinedStep, FormDefinition } from './form-definition.js';

const MAX_NUMBER = 2_147_483_647;

type Steps = readonly DefinedStep[];

/** The step of a later state that each step has become. A step that is missing was removed. */
export type NewSteps = ReadonlyMap<DefinedStep, DefinedStep>;

/**
 * Matches the steps of two states of a form by what they contain, because a step that is added or moved in a file changes the
 * numbers of others. The pair with most fields in common comes first. Steps without a common field match if they have the same
 * title, or else the same number.
 */
export function matchSteps(before: Steps, after: Steps): NewSteps {
  const newSteps = new Map<DefinedStep, DefinedStep>();
  const taken = new Set<DefinedStep>();
  const match = (old: DefinedStep, now: DefinedStep) => {
    if (newSteps.has(old) || taken.has(now)) return;
    newSteps.set(old, now);
    taken.add(now);
  };
  for (const { old, now } of pairsByFields(before, after)) match(old, now);
  for (const keyOf of [({ title }: DefinedStep) => title, ({ step_number }: DefinedStep) => step_number]) {
    const free = groupBy<string | number, DefinedStep>(
      after.filter((step) => !taken.has(step)),
      keyOf,
    );
    for (const old of before) {
      if (newSteps.has(old)) continue;
      const now = free.get(keyOf(old))?.shift();
      if (now !== undefined) match(old, now);
    }
  }
  return newSteps;
}

interface StepPair {
  readonly old: DefinedStep;
  readonly now: DefinedStep;
  /** The number of fields that both have. */
  common: number;
}

/** The pairs of steps that have fields in common, most fields first, then pairs with the same title, then with the same number. */
function pairsByFields(before: Steps, after: Steps): StepPair[] {
  const stepOf = new Map(before.flatMap((step) => step.fields.map(({ code }) => [code, step] as const)));
  const pairs: StepPair[] = [];
  for (const now of after) {
    const own = new Map<DefinedStep, StepPair>();
    for (const { code } of now.fields) {
      const old = stepOf.get(code);
      if (old === undefined) continue;
      const pair = own.get(old) ?? { old, now, common: 0 };
      pair.common += 1;
      own.set(old, pair);
    }
    pairs.push(...own.values());
  }
  const likeness = ({ old, now }: StepPair) =>
    (old.title === now.title ? 2 : 0) + (old.step_number === now.step_number ? 1 : 0);
  return pairs.sort((one, other) => other.common - one.common || likeness(other) - likeness(one));
}

/**
 * Gives each step of a form the number that it has after a change, so that equal numbers mean the same step. A removed step gets a
 * number that no step has. `previousNumbers` has for each step the number of the nearest step before it that remains; 1 if there is none.
 */
export function renumberSteps(before: FormDefinition, after: FormDefinition) {
  const newSteps = matchSteps(before.steps, after.steps);
  const used = new Set([...before.steps, ...after.steps].map(({ step_number }) => step_number));
  let free = MAX_NUMBER;
  const freeNumber = () => {
    while (used.has(free)) free -= 1;
    used.add(free);
    return free;
  };
  let previous = 1;
  const previousNumbers: number[] = [];
  const steps = before.steps.map((step) => {
    previousNumbers.push(previous);
    const remaining = newSteps.get(step);
    if (remaining !== undefined) previous = remaining.step_number;
    return { ...step, step_number: remaining?.step_number ?? freeNumber() };
  });
  return { renumbered: { ...before, steps }, previousNumbers };
}
