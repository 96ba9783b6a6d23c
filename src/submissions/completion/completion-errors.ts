import type { FieldState, StoredValue } from '../../rules/index.js';
import type { CompiledRule } from '../../forms/field-rules/compile-field-rules.js';
import type { RuleKind } from '../../forms/entities/field-rule.js';
import { isBlank } from '../../forms/field-rules/rule-values.js';
import type { Today } from '../../forms/field-rules/today.js';
import type { PublishedEntity, PublishedField, PublishedForm } from '../../forms/published-form.js';
import { type FieldErrors, type FieldError, fieldError } from '../../http/errors/problems.js';
import { inSlices, Slices } from '../../http/slices.js';
import type { ValuesAndRecordsRow } from '../submission.statements.js';
import { type KnownFiles, errorAtCompletion } from '../values/file-values.service.js';
import { expectedOf, isUnticked } from './expected-value.js';

export interface Judging {
  readonly today: Today;
  /** Whose fields are judged; undefined: those of all steps. */
  readonly stepNumber: number | undefined;
  /** Undefined: values of files are any text (U1). */
  readonly files: KnownFiles | undefined;
  /** Told of each rule that would have been asked and cannot be applied (J5). */
  readonly leftOut: (kind: RuleKind) => void;
}

/**
 * What keeps a submission with these values from completion under the strict policy (S4), by field code; of a value that
 * belongs to a record by `code.<record id>` (J4). Fields of an entity are required in each of its records, and in none where
 * there is none; what one holds outside of them has to fit all the same. A hidden field is not looked at. Long work is done in
 * slices.
 *
 * Too few records are an error under the entity's name (R3), on each step that shows one of its fields. An entity whose
 * fields are all hidden, in each of its records and without a record, is hidden itself and asks for none (C14): clients have
 * nothing to show for it. An entity without fields hides nothing, and is asked for with the whole form.
 */
export async function completionErrors(
  form: PublishedForm,
  { values, records }: Pick<ValuesAndRecordsRow, 'values' | 'records'>,
  judging: Judging,
): Promise<FieldErrors> {
  const searching = form.rules.search(values);
  const searches = searching && (await inSlices(searching));
  const slices = new Slices();
  const fieldErrors = new Map<string, FieldError[]>();
  // A form that was made before names were kept apart (R3) may have a field and an entity of one name.
  const report = (key: string, found: FieldError[]) =>
    fieldErrors.set(key, [...(fieldErrors.get(key) ?? []), ...found]);
  const isJudged = ({ stepNumber }: PublishedField) =>
    judging.stepNumber === undefined || stepNumber === judging.stepNumber;
  const judge = (field: PublishedField, state: FieldState, value: string | undefined, key: string) => {
    const found = isJudged(field) ? errorsIn(field, state, value, judging) : [];
    if (found.length > 0) report(key, found);
  };
  /** The names of entities that have a field which is judged and visible. */
  const shownEntities = new Set<string>();
  const see = (field: PublishedField, { visible }: FieldState) => {
    if (visible && field.entity !== null && isJudged(field)) shownEntities.add(field.entity);
  };

  const named = records.map(([id, entityId]) => ({
    id,
    entity: form.entitiesById.get(entityId)?.name ?? '',
  }));
  const entitiesByRecord = new Map<number | null, string>(named.map(({ id, entity }) => [id, entity]));
  const entitiesWithRecords = new Set(entitiesByRecord.values());
  /** Whether the value that the field has there is one of those that are judged in the records of the field's entity. */
  const isJudgedInRecord = ({ entity, isRepeatable }: PublishedField, recordId: number | null) =>
    entity !== null &&
    (isRepeatable ? entitiesByRecord.get(recordId) === entity : entitiesWithRecords.has(entity));

  const places = valuesByPlace(values);
  const states = form.rules.resolveStates(values, searches);
  for (const [index, field] of form.fields.entries()) {
    const placed = places.get(field.id) ?? NOTHING;
    const state = states[index] as FieldState;
    see(field, state);
    if (field.entity === null && placed.size === 0) judge(field, state, undefined, field.code);
    for (const [recordId, value] of placed) {
      if (isJudgedInRecord(field, recordId)) continue;
      judge(field, state, value, keyOf(field, recordId));
      const pause = slices.next();
      if (pause !== undefined) await pause;
    }
  }

  for (const [id, states] of form.rules.resolveRecords(values, named, searches)) {
    const entity = form.entitiesByName.get(entitiesByRecord.get(id) ?? '');
    for (const [index, field] of (entity?.fields ?? []).entries()) {
      const placed = places.get(field.id) ?? NOTHING;
      const value = field.isRepeatable ? placed.get(id) : placed.values().next().value;
      const state = states[index] as FieldState;
      see(field, state);
      judge(field, state, value, `${field.code}.${id}`);
      const pause = slices.next();
      if (pause !== undefined) await pause;
    }
  }
  for (const entity of form.entitiesById.values()) {
    const count = named.filter((record) => record.entity === entity.name).length;
    const isWithoutFields = entity.fields.length === 0 && judging.stepNumber === undefined;
    const isAskedFor = shownEntities.has(entity.name) || isWithoutFields;
    if (count < entity.minRecords && isAskedFor) report(entity.name, [tooFew(entity, count)]);
  }
  return Object.fromEntries(fieldErrors);
}

/** By field, and by record with the one without a record first. Blank text is no value (V4, J7). */
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

/** The one value of a field that is not repeatable belongs to the field, whatever record it names (V5). */
const keyOf = ({ code, isRepeatable }: PublishedField, recordId: number | null) =>
  recordId === null || !isRepeatable ? code : `${code}.${recordId}`;

/** What is wrong with a value, or with there being none. Rules are asked of what fits the field's type only. */
function errorsIn(
  field: PublishedField,
  state: FieldState,
  value: string | undefined,
  { today, files, leftOut }: Judging,
): FieldError[] {
  // V8: what is for display only can hold no value, whatever the form says of it.
  if (!state.visible || field.isDisplayOnly) return [];
  const required = () => [fieldError('required', `The ${field.code} is required.`)];
  if (value === undefined) return state.required ? required() : [];
  const expected = expectedOf(field);
  if (expected?.fits(value) === false)
    return [fieldError(expected.code, `The ${field.code} must be ${expected.description}.`)];
  const wrongFile =
    field.isFileInput && files !== undefined ? errorAtCompletion(files, field.code, value) : undefined;
  if (wrongFile !== undefined) return [wrongFile];
  if (state.required && isUnticked(field, value)) return required();
  const rules = field.rules?.on(today);
  for (const { kind } of rules?.inapplicable ?? []) leftOut(kind);
  const broken: CompiledRule[] = [];
  for (const rule of rules?.applied ?? []) {
    // Text that is too long anyway is not matched against a pattern, which takes more the longer it is.
    const isAsked = rule.kind !== 'pattern' || broken.every(({ kind }) => kind !== 'max_length');
    if (isAsked && !rule.isMet(value)) broken.push(rule);
  }
  return broken.map(({ message, errorOf }) => errorOf(field.code, message, value));
}

const tooFew = ({ name, minRecords }: PublishedEntity, count: number) =>
  fieldError(
    'too_few_records',
    `The submission must have at least ${minRecords} of ${name}, but has ${count}.`,
    {
      min: minRecords,
      count,
    },
  );
