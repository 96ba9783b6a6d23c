import { OPERATOR_TABLE, usesToday as computesWithToday } from '../../conditions/engine/index.js';
import { reportConditions } from './compare-conditions.js';
import { compareField } from './compare-fields.js';
import { compareKeeping } from './compare-keeping.js';
import { compareLimits, LIMIT_KEYS } from './compare-limits.js';
import { isRelative, usesToday } from './compare-rules.js';
import { listed, quote } from './definition-error.js';
import {
  type FormChange,
  type Pair,
  pairs,
  type ReportChange,
  reportOrder,
  reportOtherKeys,
  reportRepeatable,
} from './form-changes.js';
import {
  type DefinedCondition,
  type DefinedEntity,
  type DefinedField,
  type DefinedStep,
  type FormDefinition,
  KEEPING_KEYS,
} from './form-definition.js';
import { type Comparison, FormState } from './form-state.js';
import { matchSteps, type NewSteps } from './match-steps.js';

export interface KnownParts {
  /** The code in `after` of each field of `before` that both have. */
  readonly newCodes: ReadonlyMap<string, string>;
  /** The number in `after` of each step of `before` that both have. */
  readonly newNumbers: ReadonlyMap<number, number>;
}

/**
 * Returns the differences of two states of a form (N5), breaking ones first. A difference that might break something is breaking.
 *
 * @param known What is known of the parts that both have. By default, fields with the same code are the same, and steps as
 * {@link matchSteps} finds them.
 */
export function compareForms(before: FormDefinition, after: FormDefinition, known?: KnownParts) {
  const { newCodes, newNumbers } = known ?? {};
  const changes: FormChange[] = [];
  const report: ReportChange = (isBreaking, path, message) =>
    changes.push({ path, kind: isBreaking ? 'breaking' : 'compatible', message });
  const old = new FormState(before, newCodes);
  const now = new FormState(after);
  const [entities, steps] = [old.definition.entities, old.definition.steps];
  const newSteps =
    newNumbers === undefined ? matchSteps(steps, after.steps) : stepsWith(newNumbers, steps, after.steps);
  const comparison = { old, now, newSteps, report };
  compareOwnKeys(comparison);
  compareTimeZones(comparison);
  compareLimits(comparison);
  compareKeeping(comparison);
  for (const entity of pairs(entities, after.entities, ({ name }) => name)) compareEntity(entity, comparison);
  const pairedSteps = pairs<DefinedStep>(
    steps,
    after.steps,
    (step) => step,
    (step) => newSteps.get(step) ?? step,
  );
  for (const step of pairedSteps) compareStep(step, comparison);
  reportNumbers(pairedSteps, report);
  // An object, which no field of `after` has as its key, is the key of a field that `after` does not have.
  const keyOfOld = ({ code }: DefinedField) => (newCodes === undefined ? code : (newCodes.get(code) ?? {}));
  const fields = pairs<DefinedField>(old.fields, now.fields, ({ code }) => code, keyOfOld);
  for (const field of fields) compareField(field, comparison);
  for (const step of after.steps) {
    const inStep = fields.filter(({ row }) => now.stepOf.get(row) === step);
    const { step_number: number } = step;
    reportOrder(`fields in step ${number}`, `steps.${number}.fields`, inStep, ({ code }) => code, report);
  }
  return [...changes.filter(isBreaking), ...changes.filter((change) => !isBreaking(change))];
}

export const isBreaking = ({ kind }: FormChange) => kind === 'breaking';

function stepsWith(
  newNumbers: ReadonlyMap<number, number>,
  before: readonly DefinedStep[],
  after: readonly DefinedStep[],
): NewSteps {
  const byNumber = new Map(after.map((step) => [step.step_number, step]));
  return new Map(
    before.flatMap((step) => {
      const now = byNumber.get(newNumbers.get(step.step_number) ?? 0);
      return now === undefined ? [] : [[step, now]];
    }),
  );
}

/** Reports moved steps in one change, because adding a step often moves all steps after it. */
function reportNumbers(steps: readonly Pair<DefinedStep>[], report: ReportChange): void {
  const moved = steps.flatMap(({ old, now }) =>
    old && now && old.step_number !== now.step_number ? [`${old.step_number} to ${now.step_number}`] : [],
  );
  if (moved.length > 0) report(false, 'steps', `The numbers of steps changed: ${listed(moved)}.`);
}

const OWN_KEYS = ['$schema', 'uuid', 'slug', 'is_active', 'completion', 'time_zone', 'entities', 'steps'];

function compareOwnKeys({ old: { definition: old }, now: { definition: now }, report }: Comparison): void {
  if (old.slug !== now.slug)
    report(true, 'slug', `The slug of the form changed from ${quote(old.slug)} to ${quote(now.slug)}.`);
  if (old.uuid !== undefined && now.uuid !== undefined && old.uuid !== now.uuid)
    report(true, 'uuid', `The UUID of the form changed from ${old.uuid} to ${now.uuid}.`);
  if (old.is_active !== now.is_active)
    report(false, 'is_active', `The form is now ${now.is_active ? 'active' : 'inactive'}.`);
  if (old.completion !== now.completion) {
    const isStricter =
      now.completion === 'strict' || (now.completion === null && old.completion === 'lenient');
    const [from, to] = [old.completion, now.completion].map(
      (policy) => policy ?? 'the default (COMPLETION_POLICY)',
    );
    const why = now.completion === null && isStricter ? ', which can be strict' : '';
    report(isStricter, 'completion', `The completion policy changed from ${from} to ${to}${why}.`);
  }
  reportOtherKeys('the form', '', old, now, [...OWN_KEYS, ...LIMIT_KEYS, ...KEEPING_KEYS], report);
}

const comparesWithToday = ({ operator, value }: DefinedCondition) =>
  OPERATOR_TABLE[operator].compares === 'date' && isRelative(value);

/** Without a time zone, `today` of a rule is the most lenient day (J2), so only a new time zone can reject dates. */
function compareTimeZones({ old, now, report }: Comparison): void {
  const [from, to] = [old.definition.time_zone, now.definition.time_zone];
  if (from === to) return;
  const fields = now.fields.filter(({ retired }) => !retired);
  const { steps, entities } = now.definition;
  const conditions = [...fields, ...steps, ...entities].flatMap((owner) => owner.conditions);
  const parts = [
    ...(to !== undefined && fields.some(({ rules }) => rules.some(usesToday)) ? ['rules'] : []),
    ...(conditions.some(comparesWithToday) ? ['conditions'] : []),
    ...(fields.some(({ computed }) => computed !== undefined && computesWithToday(computed))
      ? ['formulas']
      : []),
  ];
  const isTightened = parts.length > 0;
  const why = isTightened ? `, which changes the date of "today" in ${parts.join(' and ')}` : '';
  report(
    isTightened,
    'time_zone',
    `The time zone of the form changed from ${quote(from)} to ${quote(to)}${why}.`,
  );
}

function compareEntity({ old: before, now: after, row }: Pair<DefinedEntity>, comparison: Comparison): void {
  const { now, report } = comparison;
  const { name } = row;
  const [entity, path] = [`the entity ${quote(name)}`, `entities.${name}`];
  if (after === undefined) {
    report(true, path, `The entity ${quote(name)} was removed.`);
    return;
  }
  const { min_records, max_records } = after;
  if (before === undefined) {
    const needs = min_records ? `, and needs at least ${min_records} of its records` : '';
    report(needs !== '', path, `The entity ${quote(name)} was added${needs}.`);
    return;
  }
  reportRepeatable(`The entity ${quote(name)}`, path, before, after, report);
  const reportLimit = (isBreaking: boolean, limit: string, key: 'min_records' | 'max_records') => {
    if (before[key] === after[key]) return;
    const values = `changed from ${quote(before[key])} to ${quote(after[key])}`;
    report(isBreaking, `${path}.${key}`, `The ${limit} number of records of ${entity} ${values}.`);
  };
  reportLimit((min_records ?? 0) > (before.min_records ?? 0), 'minimum', 'min_records');
  reportLimit((max_records ?? Infinity) < (before.max_records ?? Infinity), 'maximum', 'max_records');
  const requirement = now.requirementOfEntity(after);
  reportConditions({ name: entity, path, requirement }, before, after, comparison);
  const judged = ['is_repeatable', 'min_records', 'max_records', 'conditions'];
  reportOtherKeys(entity, path, before, after, judged, report);
}

function compareStep({ old: before, now: after, row }: Pair<DefinedStep>, comparison: Comparison): void {
  const { now, report } = comparison;
  const { step_number } = row;
  const [step, path] = [`step ${step_number}`, `steps.${step_number}`];
  if (before === undefined || after === undefined) {
    const isRemoved = after === undefined;
    report(isRemoved, path, `Step ${step_number} was ${isRemoved ? 'removed' : 'added'}.`);
    return;
  }
  const requirement = now.requirementOfStep(after);
  if (before.is_visible !== after.is_visible) {
    // Completion asks for nothing on an invisible step (C13).
    const isAsked = after.is_visible && requirement !== undefined;
    const why = isAsked ? `, and ${requirement}` : '';
    report(
      isAsked,
      `${path}.is_visible`,
      `Step ${step_number} is now ${after.is_visible ? 'visible' : 'invisible'}${why}.`,
    );
  }
  reportConditions({ name: step, path, requirement }, before, after, comparison);
  reportOtherKeys(step, path, before, after, ['step_number', 'is_visible', 'conditions', 'fields'], report);
}
