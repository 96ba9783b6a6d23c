import {
  type FieldState,
  type EngineContainer,
  isBlank,
  MAX_DIGITS,
  parseExact,
  type StoredValue,
  type Today,
} from '../../conditions/engine/index.js';
import type { RuleKind } from '../../forms/entities/rule-kinds.js';
import type { PublishedEntity, PublishedField, PublishedForm } from '../../forms/published-form.js';
import { type FieldErrors, type FieldError, fieldError } from '../../http/errors/problems.js';
import { inSlices, Slices } from '../../http/slices.js';
import type { FindMessage } from '../submission-extenders.js';
import type { ValuesAndRecordsRow } from '../submission.rows.js';
import { AnswersTogether, type BrokenRule, needsOtherAnswers } from './answers-together.js';
import type { ValueCheck } from './checks-completion.js';
import { exclusiveChoiceIn, expectedOf, isUnticked } from './expected-value.js';
import { findHiddenPlaces } from './hidden-values.js';

export interface CheckContext {
  readonly today: Today;
  /** Checks only the fields of this step. Undefined: checks all fields. */
  readonly stepNumber: number | undefined;
  readonly checks: readonly ValueCheck[];
  /** Returns the message of a rule. Undefined: the message in the form. */
  readonly messageOf?: FindMessage | undefined;
  /** Called for each rule that is left out because it cannot be applied (J5). */
  readonly onLeftOut: (kind: RuleKind) => void;
}

/**
 * Returns the errors for which strict completion rejects these values (S4), by field code. The key for a value in a record is
 * `code.<record id>` (J4). A required field of an entity needs a value in each record of the entity, and none if there are no
 * records. A value outside the records is optional, but is checked like any other. Hidden fields are not checked. Long work is
 * done in slices.
 *
 * Too few records are an error under the entity's name (R3), on each step that shows a field of the entity. An entity is hidden
 * if all of its fields are hidden, both in its records and without a record. It then needs no records (C14), because clients have
 * nothing to show for it. An entity without fields is never hidden, and is checked together with the whole form.
 *
 * On a step that the panel hides, nothing is missing: neither a value nor a record (C13). Values there are checked like others.
 */
export async function completionErrors(
  form: PublishedForm,
  { values, records }: Pick<ValuesAndRecordsRow, 'values' | 'records'>,
  context: CheckContext,
): Promise<FieldErrors> {
  const searching = form.rules.search(values);
  const searches = searching && (await inSlices(searching));
  const slices = new Slices();
  const fieldErrors = new Map<string, FieldError[]>();
  // A form from before names had to differ (R3) may have a field and an entity with the same name.
  const report = (key: string, found: FieldError[]) =>
    fieldErrors.set(key, [...(fieldErrors.get(key) ?? []), ...found]);
  const isChecked = ({ stepNumber }: PublishedField) =>
    context.stepNumber === undefined || stepNumber === context.stepNumber;
  const places = valuesByPlace(values);
  const together = form.fields.some((field) => isChecked(field) && needsOtherAnswers(field))
    ? new AnswersTogether(form, places, await inSlices(findHiddenPlaces(form, { values, records }, searches)))
    : undefined;
  const check = (
    field: PublishedField,
    state: FieldState,
    value: string | undefined,
    recordId: number | null,
    key: string,
  ) => {
    const found = isChecked(field) ? errorsIn(field, state, value, recordId, context, together) : [];
    if (found.length > 0) report(key, found);
  };
  /** The names of entities with a visible field among the checked fields, on a step that the panel shows. */
  const visibleEntities = new Set<string>();
  const addVisibleEntity = (field: PublishedField, { visible }: FieldState) => {
    if (visible && field.isStepVisible && field.entity !== null && isChecked(field))
      visibleEntities.add(field.entity);
  };

  const named = records.map(([id, entityId]) => ({
    id,
    entity: form.entitiesById.get(entityId)?.name ?? '',
  }));
  const entitiesByRecord = new Map<number | null, string>(named.map(({ id, entity }) => [id, entity]));
  const entitiesWithRecords = new Set(entitiesByRecord.values());
  /** Whether the second loop checks this value, in the records of the field's entity. */
  const isCheckedInRecord = ({ entity, isRepeatable }: PublishedField, recordId: number | null) =>
    entity !== null &&
    (isRepeatable ? entitiesByRecord.get(recordId) === entity : entitiesWithRecords.has(entity));

  const states = form.rules.resolveStates(values, searches);
  for (const [index, field] of form.fields.entries()) {
    const placed = places.get(field.id) ?? NOTHING;
    const state = states[index] as FieldState;
    addVisibleEntity(field, state);
    if (field.entity === null && placed.size === 0) check(field, state, undefined, null, field.code);
    for (const [recordId, value] of placed) {
      if (isCheckedInRecord(field, recordId)) continue;
      check(field, state, value, recordId, keyOf(field, recordId));
      const pause = slices.next();
      if (pause !== undefined) await pause;
    }
    const ofSum =
      together !== undefined && isChecked(field) ? together.brokenBySum(field, context.today) : [];
    if (ofSum.length > 0) report(field.code, ruleErrors(field, ofSum, context));
  }

  for (const [id, states] of form.rules.resolveRecords(values, named, searches)) {
    const entity = form.entitiesByName.get(entitiesByRecord.get(id) ?? '');
    for (const [index, field] of (entity?.fields ?? []).entries()) {
      const placed = places.get(field.id) ?? NOTHING;
      const value = field.isRepeatable ? placed.get(id) : placed.values().next().value;
      const state = states[index] as FieldState;
      addVisibleEntity(field, state);
      check(field, state, value, id, `${field.code}.${id}`);
      const pause = slices.next();
      if (pause !== undefined) await pause;
    }
  }
  let hidden: ReadonlySet<EngineContainer> | undefined;
  const isHidden = ({ container }: PublishedEntity) =>
    container !== undefined && (hidden ??= form.rules.hiddenContainers(values, searches)).has(container);
  for (const entity of form.entitiesById.values()) {
    const count = named.filter((record) => record.entity === entity.name).length;
    const isWithoutFields = entity.fields.length === 0 && context.stepNumber === undefined;
    const needsRecords = visibleEntities.has(entity.name) || (isWithoutFields && !isHidden(entity));
    if (count < entity.minRecords && needsRecords) report(entity.name, [tooFewRecordsError(entity, count)]);
  }
  return Object.fromEntries(fieldErrors);
}

/** Groups values by field, then by record with null first. Leaves out blank text, which counts as no value (V4, J7). */
function valuesByPlace(values: readonly StoredValue[]): Map<number, Map<number | null, string>> {
  const byField = new Map<number, Map<number | null, string>>();
  for (const [fieldId, recordId, value] of values.toSorted((one, other) => (one[1] ?? 0) - (other[1] ?? 0))) {
    if (isBlank(value)) continue;
    const placed = byField.get(fieldId);
    if (placed === undefined) byField.set(fieldId, new Map([[recordId, value]]));
    else placed.set(recordId, value);
  }
  return byField;
}

const NOTHING: ReadonlyMap<number | null, string> = new Map();

/** The key of an error. A field that is not repeatable has one value, even if the value names a record (V5). */
const keyOf = ({ code, isRepeatable }: PublishedField, recordId: number | null) =>
  recordId === null || !isRepeatable ? code : `${code}.${recordId}`;

/** Returns the errors of a value, or of a missing value. Checks rules only if the value fits the field's type. */
function errorsIn(
  field: PublishedField,
  state: FieldState,
  value: string | undefined,
  recordId: number | null,
  context: CheckContext,
  together: AnswersTogether | undefined,
): FieldError[] {
  // A display-only field cannot hold a value (V8), even if the form says that it is required.
  if (!state.visible || field.isDisplayOnly) return [];
  const isRequired = state.required && field.isStepVisible;
  const required = () => [fieldError('required', `The ${field.code} is required.`)];
  if (value === undefined) return isRequired ? required() : [];
  const expected = expectedOf(field);
  if (expected?.fits(value) === false)
    return [fieldError(expected.code, `The ${field.code} must be ${expected.description}.`)];
  for (const check of context.checks) {
    const error = check(field, value);
    if (error !== undefined) return [error];
  }
  if (isRequired && isUnticked(field, value)) return required();
  const exclusive = exclusiveChoiceIn(field, value);
  if (exclusive !== undefined) return [exclusiveChoiceError(field, exclusive)];
  const rules = field.rules?.on(context.today);
  if (rules === undefined) return [];
  for (const { rule } of rules.inapplicable) context.onLeftOut(rule.kind);
  const broken: BrokenRule[] = [];
  for (const rule of rules.applied) {
    // Do not match text that is too long against the pattern, because matching takes time proportional to the length.
    const isApplied = rule.kind !== 'pattern' || broken.every(({ rule: { kind } }) => kind !== 'max_length');
    if (isApplied && !rule.isMet(value)) broken.push({ rule, value });
  }
  if (together !== undefined) broken.push(...together.broken(field, value, recordId));
  const errors = ruleErrors(field, broken, context);
  const isTooLong = field.rules?.hasSum === true && parseExact(value) === 'too long';
  return isTooLong ? [numberTooLongError(field), ...errors] : errors;
}

function ruleErrors(field: PublishedField, broken: readonly BrokenRule[], { messageOf }: CheckContext) {
  return broken.map(({ rule, value }) => {
    const message = messageOf?.(field, rule) ?? rule.message;
    const error = rule.errorOf(field.code, message, value);
    // Marks a message that the author of the form has written, because clients show it instead of a sentence of their own (L3).
    return error.message === message ? { ...error, params: { ...error.params, authored: true } } : error;
  });
}

const exclusiveChoiceError = ({ code }: PublishedField, value: string) =>
  fieldError('exclusive_choice', `The ${code} must not have another choice beside "${value}".`, { value });

const numberTooLongError = ({ code }: PublishedField) =>
  fieldError(
    'number_too_long',
    `The ${code} must have at most ${MAX_DIGITS} digits when it is written out.`,
    {
      max: MAX_DIGITS,
    },
  );

const tooFewRecordsError = ({ name, minRecords }: PublishedEntity, count: number) =>
  fieldError(
    'too_few_records',
    `The submission needs at least ${minRecords} ${minRecords === 1 ? 'record' : 'records'} of "${name}". There ${count === 1 ? 'is' : 'are'} ${count}.`,
    {
      min: minRecords,
      count,
    },
  );
