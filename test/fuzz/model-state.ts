import { fieldState, type ValuesOf } from './model-conditions.js';
import { type Expected, refuse } from './model-reading.js';
import type {
  ModelEntity,
  ModelField,
  ModelForm,
  ModelRecord,
  ModelStep,
  ModelSubmission,
  PublishedCondition,
  StoredValue,
} from './model-types.js';
import type { Request } from './requests.js';

/** A completed submission rejects writes (S3). */
export function refuseIfCompleted({ status }: ModelSubmission): void {
  if (status === 'completed') refuse(422, 'The submission is already completed.');
}

/** Every write moves `updated_at`, and with it the ETag, forward (S6). */
export function touch({ etags }: ModelSubmission, etag: string): void {
  const before = etags.at(-1)!;
  etags.push(etag > before ? etag : `later than ${before}`);
}

export function answered(submission: ModelSubmission, data: unknown): Expected {
  return { status: 200, etag: submission.etags.at(-1), body: withVersion(submission, data) };
}

/** No form changes during the fuzzing, so each response is made from the same version (N1). */
export const withVersion = ({ form }: ModelSubmission, data: unknown) => ({
  data,
  form_version: form.schema.version,
});

export function presented({ uuid, form, status, currentStep, meta, createdAt, etags }: ModelSubmission) {
  const dates = { created_at: createdAt, updated_at: etags.at(-1) };
  return { uuid, form_id: form.form.id, status, current_step: currentStep, meta, ...dates };
}

/** The form of a submission in the responses of creating, reading and listing. No user of the fuzzer has a preview. */
export const shown = (submission: ModelSubmission) => ({
  ...presented(submission),
  is_test: false,
  begun_version: submission.form.schema.version,
  completed_version: submission.status === 'completed' ? submission.form.schema.version : null,
  locale: submission.locale,
  anonymized_at: null,
});

export const fieldsOf = ({ schema }: ModelForm): ModelField[] => schema.steps.flatMap(({ fields }) => fields);

/** The order of values (V12). */
export function byFieldAndRecord(a: StoredValue, b: StoredValue): number {
  return a.field_id - b.field_id || (a.entity_record_id ?? 0) - (b.entity_record_id ?? 0);
}

/** Adds the conditions to a response, as `include=conditions` does (V13). */
export function including(answer: Expected, submission: ModelSubmission, query: Request['query']): Expected {
  return { ...answer, body: { ...(answer.body as object), conditions: conditionsOf(submission, query) } };
}

type Container = ModelStep | ModelEntity;

/** The state of a field in the form, or in a record (R6). A field is hidden if its step or its entity is hidden (C11). */
export function stateOf(submission: ModelSubmission, field: ModelField, record?: ModelRecord) {
  const state = fieldState(field, valuesLookedAt(submission, field, record));
  const hiddenBy = containersOf(submission.form, field).filter((one) => isHidden(submission, one));
  if (hiddenBy.length === 0) return { ...state, hiddenBy };
  const met = state.met.filter(({ action }) => action !== 'require');
  return { visible: false, required: false, met, hiddenBy };
}

/** The step and the entity of a field. */
function containersOf({ schema }: ModelForm, { id, entity }: ModelField): Container[] {
  return [
    ...schema.steps.filter(({ fields }) => fields.some((field) => field.id === id)),
    ...schema.entities.filter(({ name }) => name === entity),
  ];
}

/** The conditions of a step or an entity test all values, also in a record (C7). */
const containerState = (submission: ModelSubmission, container: Container) =>
  fieldState({ is_required: false, conditions: container.conditions }, valuesLookedAt(submission, container));

/** Whether the conditions of a step or an entity hide it. */
export const isHidden = (submission: ModelSubmission, container: Container): boolean =>
  !containerState(submission, container).visible;

/** Whether a field is visible without a record or in any record of its entity (C12). */
export function isSeen(submission: ModelSubmission, field: ModelField): boolean {
  const own = submission.records.filter(({ entity }) => entity === field.entity);
  return [undefined, ...own].some((record) => stateOf(submission, field, record).visible);
}

/** Returns a function that gives the values that conditions of `asking` see: all values of a field, or those of the record (R6). */
function valuesLookedAt(
  submission: ModelSubmission,
  asking: ModelField | Container,
  record?: ModelRecord,
): ValuesOf {
  const { form, values } = submission;
  const fields = fieldsOf(form);
  const fieldWith = (name: number | string) => fields.find(({ id, code }) => id === name || code === name);
  const stored: ValuesOf = (name) => {
    const field = fieldWith(name);
    if (field === undefined) return undefined;
    const { entity, is_repeatable } = field;
    const isOfRecord = record !== undefined && entity === record.entity && is_repeatable;
    return [...values.values()]
      .filter(({ field_id }) => field_id === field.id)
      .filter(({ entity_record_id }) => !isOfRecord || entity_record_id === record.id)
      .map(({ value }) => value);
  };
  if (form.hiddenValues === 'keep' || isInCircle(form, asking)) return stored;
  // Ignore values of hidden fields (C5, C15). Conditions that only require a field do not affect its visibility.
  return (name) => {
    const field = fieldWith(name);
    if (field === undefined) return undefined;
    const here = field.entity === record?.entity ? record : undefined;
    const deciding: ModelField = Object.assign({}, field, { conditions: decidingOn(field) });
    return stateOf(submission, deciding, here).visible ? stored(name) : [];
  };
}

const decidingOn = ({ conditions }: ModelField | Container) =>
  conditions.filter(({ action }) => action !== 'require');

/** Whether the visibility depends on itself, directly or through other fields, steps and entities (C15). */
function isInCircle(form: ModelForm, asking: ModelField | Container): boolean {
  const nameOf = (one: ModelField | Container) =>
    'code' in one ? one.code : 'fields' in one ? one.step_number : `entity ${one.name}`;
  const reached = new Set<string | number>();
  const follow = (from: ModelField | Container) => {
    for (const { depends_on_field_id, value_field_code } of decidingOn(from)) {
      const fields = fieldsOf(form).filter(
        ({ id, code }) => id === depends_on_field_id || code === value_field_code,
      );
      for (const next of fields.flatMap((field) => [field, ...containersOf(form, field)])) {
        if (reached.has(nameOf(next))) continue;
        reached.add(nameOf(next));
        follow(next);
      }
    }
  };
  follow(asking);
  return reached.has(nameOf(asking));
}

/** The body of GET …/conditions (C1, R6). */
export function conditionsOf(submission: ModelSubmission, query: Request['query']): object {
  const fields = fieldsOf(submission.form);
  const data = states(submission, fields, query);
  const records = submission.records.map((record) => {
    const own = fields.filter(({ entity }) => entity === record.entity);
    return [record.id, states(submission, own, query, record)];
  });
  return {
    data,
    ...(query['scope'] === 'records' && { records: Object.fromEntries(records) as object }),
    ...(query['steps'] === 'true' && {
      steps: stepsOf(submission),
      entities: submission.form.schema.entities.map((entity) => {
        const own = fields.filter((field) => field.entity === entity.name);
        const hasFields = own.length === 0 || own.some((field) => isSeen(submission, field));
        return { name: entity.name, is_visible: !isHidden(submission, entity) && hasFields };
      }),
    }),
    // No form of the fuzzing computes values. Their properties are tested without the service.
    ...(query['computed'] === 'true' && { computed: [] }),
    form_version: submission.form.schema.version,
  };
}

/** The states of steps (C12). */
export function stepsOf(submission: ModelSubmission) {
  return submission.form.schema.steps.map((step) => ({
    step_number: step.step_number,
    is_visible: step.is_visible && !isHidden(submission, step),
    has_visible_fields: step.fields.some((field) => isSeen(submission, field)),
  }));
}

function states(
  submission: ModelSubmission,
  fields: readonly ModelField[],
  { shape, explain }: Request['query'],
  record?: ModelRecord,
): object {
  const resolved = fields.map((field) => {
    const { visible, required, met, hiddenBy } = stateOf(submission, field, record);
    const hidden_by = hiddenBy.map((container) => reasonsOf(submission, container));
    const explanation = explain === 'true' && {
      conditions_met: met.map(presentedCondition),
      ...(hidden_by.length > 0 && { hidden_by }),
    };
    if (shape !== 'list') return { visible, required, ...explanation };
    const named = { field_id: field.id, field_code: field.code };
    return { ...named, is_visible: visible, is_required: required, ...explanation };
  });
  return shape === 'list'
    ? resolved
    : Object.fromEntries(fields.map(({ id }, index) => [id, resolved[index]]));
}

/** Why a step or an entity is hidden: the `hide` conditions that are met, or else all `show` conditions. */
function reasonsOf(submission: ModelSubmission, container: Container): object {
  const hides = containerState(submission, container).met.filter(({ action }) => action === 'hide');
  const shows = container.conditions.filter(({ action }) => action === 'show');
  const name = 'fields' in container ? { step_number: container.step_number } : { entity: container.name };
  return { ...name, conditions: (hides.length > 0 ? hides : shows).map(presentedCondition) };
}

/** Leaves out the other field if there is none (C17). */
function presentedCondition({ depends_on_field_id: _, group: __, ...condition }: PublishedCondition): object {
  const { value_field_code, ...others } = condition;
  return value_field_code === null ? others : condition;
}
