import { decimal, difference } from './model-conditions.js';
import { byFieldAndRecord, fieldsOf, isHidden, isSeen, stateOf } from './model-state.js';
import type { ModelField, ModelRecord, ModelSubmission } from './model-types.js';

/** The errors of strict completion (S4, J1 to J7) for one step or all steps, by the code and record of the field. */
export function completionErrors(submission: ModelSubmission, stepNumber?: number) {
  const { form, values, records } = submission;
  const today = todayOf(form.schema.time_zone);
  const errors: Record<string, string[]> = {};
  const judge = (field: ModelField, value: string | undefined, key: string, record?: ModelRecord) => {
    const { visible, required: isRequired } = stateOf(submission, field, record);
    const required = isRequired && isOnShownStep(field);
    if (!visible || field.field_type.component.endsWith('-display')) return;
    const missing = required ? [`The ${field.code} is required.`] : [];
    const sentences = value === undefined ? missing : sentencesOf(field, required, value, today);
    if (sentences.length > 0) errors[key] = sentences;
  };
  const steps = form.schema.steps.filter(({ step_number }) => [undefined, step_number].includes(stepNumber));
  const fields = steps.flatMap((step) => step.fields);
  const shown = new Set(
    form.schema.steps
      .filter(({ is_visible }) => is_visible)
      .flatMap((step) => step.fields.map(({ id }) => id)),
  );
  /** Nothing is missing on a step that the panel hides (C13). */
  const isOnShownStep = ({ id }: ModelField) => shown.has(id);
  const valuesOf = ({ id }: ModelField) =>
    [...values.values()]
      .filter(({ field_id, value }) => field_id === id && !isBlank(value))
      .sort(byFieldAndRecord);

  for (const field of fields) {
    const stored = valuesOf(field);
    // Outside of its records, an entity's field may lack a value, but a value that exists is checked (S13).
    const own = records.filter(({ entity }) => entity === field.entity);
    if (stored.length === 0 && field.entity === null) judge(field, undefined, field.code);
    for (const { value, entity_record_id } of stored) {
      const isJudgedInRecord = field.is_repeatable
        ? own.some(({ id }) => id === entity_record_id)
        : own.length > 0;
      const key = field.is_repeatable && entity_record_id !== null ? `.${entity_record_id}` : '';
      if (!isJudgedInRecord) judge(field, value, field.code + key);
    }
  }
  for (const record of records) {
    for (const field of fields.filter(({ entity }) => entity === record.entity)) {
      const here = valuesOf(field).find(
        ({ entity_record_id }) => !field.is_repeatable || entity_record_id === record.id,
      );
      judge(field, here?.value, `${field.code}.${record.id}`, record);
    }
  }
  for (const entity of form.schema.entities) {
    const { name, min_records } = entity;
    const count = records.filter((record) => record.entity === name).length;
    // An entity needs its records only while one of its fields is visible. One without fields counts for the whole form only (C14).
    const asked = fields.filter((field) => field.entity === name);
    const hasFields = fieldsOf(form).some((field) => field.entity === name);
    const isAskedFor = hasFields
      ? asked.some((field) => isOnShownStep(field) && isSeen(submission, field))
      : stepNumber === undefined && !isHidden(submission, entity);
    if (isAskedFor && count < (min_records ?? 0))
      errors[name] = [`The submission must have at least ${min_records} of ${name}, but has ${count}.`];
  }
  return errors;
}

/** J7: a value that contains only white space and invisible characters counts as missing. */
function isBlank(text: string): boolean {
  return Array.from(text).every(
    (character) => character.trim() === '' || /[\p{Cf}\p{DI}\p{Cc}]/u.test(character),
  );
}

interface Today {
  readonly earliest: string;
  readonly latest: string;
}

/** The dates that count as today (J2) in the time zones of the fuzzed forms. */
function todayOf(timeZone: string | null): Today {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toJSON().slice(0, 10);
  if (timeZone === null) return { earliest: at(-12), latest: at(14) };
  if (timeZone !== 'Pacific/Kiritimati') throw new Error(`No form of the fuzzing is in ${timeZone}.`);
  return { earliest: at(14), latest: at(14) };
}

/** Returns the errors of a value. Every text in the form of a date is an existing date, because the fuzzing sends no others. */
function sentencesOf(
  { code, field_type, rules }: ModelField,
  isRequired: boolean,
  value: string,
  today: Today,
): string[] {
  const { component } = field_type;
  // White space at the ends does not count (J13).
  const text = value.trim();
  if (component === 'number-input' && decimal(text) === undefined)
    return [`The ${code} must be a decimal number.`];
  if (component === 'date-input' && !/^\d{4}-\d\d-\d\d$/.test(text))
    return [`The ${code} must be a date that exists, as YYYY-MM-DD.`];
  if (component === 'checkbox-input' && !/^(true|false|yes|no|on|off|1|0)$/i.test(text))
    return [`The ${code} must be true or false.`];
  if (component === 'checkbox-input' && isRequired && /^(false|no|off|0)$/i.test(text))
    return [`The ${code} is required.`];
  const bound = (kind: string) => rules.find((rule) => rule.kind === kind)?.value;
  const [min, max] = [bound('min'), bound('max')];
  const isContradiction = min !== undefined && max !== undefined && difference(min, max) > 0n;
  // A pattern is not applied to a value over `max_length` (J8).
  const isTooLong = Array.from(value).length > Number(bound('max_length') ?? Infinity);
  return rules
    .filter(({ kind }) => !(isContradiction && (kind === 'min' || kind === 'max')))
    .filter(({ kind }) => !(isTooLong && kind === 'pattern'))
    .flatMap(({ kind, value: limit, message }) => {
      const said = broken(kind, limit, value, today);
      return said === undefined ? [] : [message ?? `The ${code} ${said}.`];
    });
}

/** Checks a rule of the fuzzed forms. A pattern that does not compile is ignored (J5). */
function broken(kind: string, limit: string, value: string, today: Today): string | undefined {
  const { length } = Array.from(value);
  // Lengths of text count its white space, patterns and dates do not (J13).
  const text = value.trim();
  switch (kind) {
    case 'min':
      return difference(value, limit) < 0n ? `must be at least ${limit}` : undefined;
    case 'max':
      return difference(value, limit) > 0n ? `must be at most ${limit}` : undefined;
    case 'min_length':
      return length < Number(limit) ? `must have at least ${limit} characters` : undefined;
    case 'max_length':
      return length > Number(limit) ? `must have at most ${limit} characters` : undefined;
    case 'min_date': {
      const day = dayOf(limit, today.earliest);
      return text < day ? `must not be before ${day}` : undefined;
    }
    case 'max_date': {
      const day = dayOf(limit, today.latest);
      return text > day ? `must not be after ${day}` : undefined;
    }
    case 'pattern':
      return limit === '(' || new RegExp(`^(?:${limit})$`, 'u').test(text)
        ? undefined
        : `must match the pattern ${limit}`;
    default:
      throw new Error(`The forms of the fuzzing have no rule ${kind}.`);
  }
}

function dayOf(limit: string, today: string): string {
  const [, days] = /^today(?:\+(\d+)d)?$/.exec(limit) ?? [];
  if (!limit.startsWith('today')) return limit;
  return new Date(Date.parse(today) + Number(days ?? 0) * 86_400_000).toJSON().slice(0, 10);
}
