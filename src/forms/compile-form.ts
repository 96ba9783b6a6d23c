import {
  type ChoicesIn,
  compileRulesInParts,
  type EngineCondition,
  type EngineContainer,
  type EngineField,
  OPERATOR_TABLE,
} from '../conditions/engine/index.js';
import type { Environment } from '../config/environment.js';
import { CacheableBody, type HeadersOfBody } from '../http/headers/cacheable-body.js';
import { jsonPieces } from '../http/json-pieces.js';
import { inSlices } from '../http/slices.js';
import type {
  ConditionResponse,
  ExtendedField,
  ExtendedSchema,
  StepResponse,
} from './dto/form-schema.response.js';
import { FIELD_EXTENSION } from './entities/field.js';
import { OPTION_EXTENSION } from './entities/option.js';
import { pick } from './extends-form.js';
import { compileFieldRules } from './field-rules/compile-field-rules.js';
import { currentDateIn } from './field-rules/today.js';
import { definitionOf } from './field-types.js';
import { presentForm, presentSchemaInParts, withoutRetired } from './form.presenter.js';
import type { WholeFormRow } from './form.statements.js';
import { groupBy } from './group-by.js';
import { MAX_RECORD_FIELDS, MAX_RECORDS } from './limits.js';
import { listReader } from './option-list.js';
import type { PublishedField, PublishedForm, PublishedStep } from './published-form.js';

type Settings = Pick<Environment, 'hiddenValues' | 'completionPolicy'>;

/**
 * Prepares a form once per version instead of once per request. Works in slices, because forms can be large. `headers` are those of
 * responses that show the form.
 */
export const compileForm = (
  form: WholeFormRow,
  settings: Settings,
  headers: HeadersOfBody = {},
): Promise<PublishedForm> => inSlices(compiling(form, settings, headers));

/** The depth of a field in the schema response, so that each field is serialised by itself. */
const FIELD_DEPTH = 5;

/** Serialises a schema response. */
export const schemaBodyOf = (schema: ExtendedSchema, headers: HeadersOfBody) =>
  CacheableBody.ofPieces(jsonPieces({ data: schema }, FIELD_DEPTH), true, headers);

function* compiling(
  form: WholeFormRow,
  { hiddenValues, completionPolicy }: Settings,
  headers: HeadersOfBody,
): Generator<undefined, PublishedForm> {
  const schema = yield* presentSchemaInParts(withoutRetired(form));
  const retiredCodes = new Map(
    form.fields.filter(({ retired }) => retired).map(({ id, code }) => [id, code]),
  );
  const choicesOf = choiceReaders(form.fields);
  const idOf = fieldIdsOf(form);
  const ruleConditions = (conditions: readonly ConditionResponse[]) =>
    conditions.map((condition) => ruleCondition(condition, { retired: retiredCodes, choicesOf, idOf }));
  const containerOf = (conditions: readonly ConditionResponse[]): EngineContainer | undefined =>
    conditions.length === 0 ? undefined : { conditions: ruleConditions(conditions) };
  yield;
  const steps = schema.steps.map(({ id, step_number, is_visible, conditions }): PublishedStep => ({
    id,
    stepNumber: step_number,
    isVisible: is_visible,
    container: containerOf(conditions),
  }));
  const containersByEntity = new Map(
    schema.entities.map(({ name, conditions }) => [name, containerOf(conditions)]),
  );
  const fields: PublishedField[] = [];
  const ruleFields: EngineField[] = [];
  for (const [index, step] of schema.steps.entries())
    for (const field of step.fields) {
      fields.push(publishedField(field, step, idOf));
      const containers = [steps[index]?.container, containersByEntity.get(field.entity ?? '')];
      ruleFields.push({
        id: field.id,
        code: field.code,
        computed: field.computed ?? undefined,
        isRequired: field.is_required,
        isRepeatable: field.is_repeatable,
        entity: field.entity ?? undefined,
        conditions: ruleConditions(field.conditions),
        containers: containers.filter((container) => container !== undefined),
      });
      yield;
    }
  const fieldsByEntity = groupBy(fields, ({ entity }) => entity);
  const entities = form.entities.map(({ id, name, label, is_repeatable, min_records, max_records }) => {
    const own = fieldsByEntity.get(name) ?? [];
    const maxRecords = Math.min(
      max_records ?? (is_repeatable ? MAX_RECORDS : 1),
      Math.max(Math.floor(MAX_RECORD_FIELDS / Math.max(own.length, 1)), 1),
    );
    const minRecords = Math.min(min_records ?? 0, maxRecords);
    const container = containersByEntity.get(name);
    return { id, name, label, minRecords, maxRecords, fields: own, container };
  });
  yield;
  const rules = yield* compileRulesInParts(ruleFields, {
    today: currentDateIn(form.time_zone),
    hiddenValues,
    containers: [...steps.map(({ container }) => container), ...containersByEntity.values()].filter(
      (container) => container !== undefined,
    ),
  });
  yield;
  const schemaBody = yield* schemaBodyOf(schema, headers);
  return {
    id: form.id,
    uuid: form.uuid,
    slug: form.slug,
    version: form.version,
    updatedBy: form.updated_by,
    updatedAt: form.updated_at,
    isActive: form.is_active,
    extension: form.extension,
    isCompletionStrict: (form.completion ?? completionPolicy) === 'strict',
    timeZone: form.time_zone,
    steps,
    fields,
    fieldsById: new Map(fields.map((field) => [field.id, field])),
    fieldsByCode: new Map(fields.map((field) => [field.code, field])),
    retiredCodes,
    entitiesById: new Map(entities.map((entity) => [entity.id, entity])),
    entitiesByName: new Map(entities.map((entity) => [entity.name, entity])),
    rules,
    formBody: new CacheableBody({ data: presentForm(form) }, true, headers),
    schemaBody,
  };
}

function publishedField(
  field: ExtendedField,
  { step_number, is_visible }: Pick<StepResponse, 'step_number' | 'is_visible'>,
  idOf: IdOfField,
): PublishedField {
  const { component } = field.field_type;
  return {
    id: field.id,
    code: field.code,
    isRepeatable: field.is_repeatable,
    entity: field.entity,
    component,
    options: new Set(field.options.map(({ value }) => value)),
    exclusiveOptions: exclusiveOptions(field),
    isDisplayOnly: definitionOf(component).holds === 'nothing',
    stepNumber: step_number,
    isStepVisible: is_visible,
    computed: field.computed,
    extension: pick(field, FIELD_EXTENSION),
    optionExtensions: field.options
      .filter((option) => OPTION_EXTENSION.some((column) => option[column] !== null))
      .map((option) => pick(option, OPTION_EXTENSION)),
    rules: compileFieldRules(
      component,
      field.rules.map(({ kind, value, other_field_code: otherFieldCode, offset_days, message }) => ({
        ...{ kind, value, message, otherFieldCode, offsetDays: offset_days },
        otherFieldId: otherFieldCode === null ? null : idOf(otherFieldCode),
      })),
    ),
  };
}

/** Most fields have none, and share this set. */
const NO_OPTIONS: ReadonlySet<string> = new Set();

function exclusiveOptions({ options }: ExtendedField): ReadonlySet<string> {
  const exclusive = options.filter(({ is_exclusive }) => is_exclusive);
  return exclusive.length === 0 ? NO_OPTIONS : new Set(exclusive.map(({ value }) => value));
}

type IdOfField = (code: string) => number;

/** Returns a function that finds fields, retired ones too, by the codes in conditions and rules. Few forms need it. */
function fieldIdsOf({ fields }: WholeFormRow): IdOfField {
  let ids: ReadonlyMap<string, number> | undefined;
  return (code) => {
    ids ??= new Map(fields.map((field) => [field.code, field.id]));
    return ids.get(code) ?? 0;
  };
}

/** Returns a function that returns the reader of a field's choices (C18). All conditions on a field share it. */
function choiceReaders(fields: WholeFormRow['fields']): (fieldId: number) => ChoicesIn {
  const readers = new Map<number, ChoicesIn>();
  let optionsOf: ReadonlyMap<number, ExtendedField['options']> | undefined;
  return (fieldId) => {
    let reader = readers.get(fieldId);
    if (reader === undefined) {
      optionsOf ??= new Map(fields.map(({ id, options }) => [id, options]));
      readers.set(fieldId, (reader = listReader((optionsOf.get(fieldId) ?? []).map(({ value }) => value))));
    }
    return reader;
  };
}

interface FieldsOfConditions {
  readonly retired: ReadonlyMap<number, string>;
  readonly choicesOf: (fieldId: number) => ChoicesIn;
  readonly idOf: IdOfField;
}

function ruleCondition(
  { depends_on_field_id, operator, value, value_field_code, action, group }: ConditionResponse,
  { retired, choicesOf, idOf }: FieldsOfConditions,
): EngineCondition {
  const compared = value_field_code === null ? undefined : idOf(value_field_code);
  const testsRetired = retired.has(depends_on_field_id) || retired.has(compared ?? 0);
  return {
    ...{ dependsOnFieldId: depends_on_field_id, operator, value, action, group },
    ...(OPERATOR_TABLE[operator].compares === 'choice' && { choicesIn: choicesOf(depends_on_field_id) }),
    ...(compared !== undefined && { valueFieldId: compared }),
    ...(testsRetired && { testsRetired }),
  };
}
