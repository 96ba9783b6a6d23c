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
  /** Nothing is missing on a step that the panel hides (C13). */
  const isOnShownStep = (field: ModelField) =>
    form.schema.steps.some((step) => step.is_visible && step.fields.includes(field));
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
      errors[name] = [
        `The submission needs at least ${min_records} ${min_records === 1 ? 'record' : 'records'} of "${name}". There ${count === 1 ? 'is' : 'are'} ${count}.`,
      ];
  }
  return errors;
}

/** J7: a value that contains only white space and invisible characters counts as missing. */
function isBlank(text: string): boolean {
  return Array.from(text).every(
    (character) => character.trim() === '' || /[\p{Cf}\p{DI}\p{Cc}]/u.test(character),
  );
}

/** The first and the last date that count as today (J2) in the time zones of the fuzzed forms. */
function todayOf(timeZone: string | null): Today {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toJSON().slice(0, 10);
  return timeZone === 'Pacific/Kiritimati' ? [at(14), at(14)] : [at(-12), at(14)];
}

type Today = readonly [earliest: string, latest: string];

/** Returns the errors of a value. Every text in the form of a date is an existing date, because the fuzzing sends no others. */
function sentencesOf(
  { code, field_type, rules }: ModelField,
  isRequired: boolean,
  value: string,
  today: Today,
): string[] {
  const type = field_type.component.replace('-input', '');
  // White space at the ends does not count (J13).
  const text = value.trim();
  const isOneOf = (...words: string[]) => words.includes(text.toLowerCase());
  const isFalse = isOneOf('false', 'no', 'off', '0');
  if (type === 'number' && decimal(text) === undefined) return [`The ${code} must be a decimal number.`];
  if (type === 'date' && !/^\d{4}-\d\d-\d\d$/.test(text))
    return [`The ${code} must be a date that exists, as YYYY-MM-DD.`];
  if (type === 'checkbox' && !isFalse && !isOneOf('true', 'yes', 'on', '1'))
    return [`The ${code} must be true or false.`];
  if (type === 'checkbox' && isRequired && isFalse) return [`The ${code} is required.`];
  const bound = (kind: string) => rules.find((rule) => rule.kind === kind)?.value ?? undefined;
  const [min, max] = [bound('min'), bound('max')];
  const isContradiction = min !== undefined && max !== undefined && difference(min, max) > 0n;
  // A pattern is not applied to a value over `max_length` (J8).
  const isTooLong = lengthOf(value) > Number(bound('max_length') ?? Infinity);
  return rules
    .filter(({ kind }) => !(isContradiction && (kind === 'min' || kind === 'max')))
    .filter(({ kind }) => !(isTooLong && kind === 'pattern'))
    .flatMap(({ kind, value: limit, message }) => {
      const said = RULES[kind]!(limit!, value, today);
      return said === false ? [] : [message ?? `The ${code} ${said}.`];
    });
}

const lengthOf = (text: string) => Array.from(text).length;

/**
 * The rules of the fuzzed forms. A pattern that does not compile is ignored (J5). Lengths of text count its white space,
 * patterns and dates do not (J13).
 */
const RULES: Readonly<Record<string, (limit: string, value: string, today: Today) => string | false>> = {
  min: (limit, value) => difference(value, limit) < 0n && `must be at least ${limit}`,
  max: (limit, value) => difference(value, limit) > 0n && `must be at most ${limit}`,
  min_length: (limit, value) => lengthOf(value) < Number(limit) && `must have at least ${limit} characters`,
  max_length: (limit, value) => lengthOf(value) > Number(limit) && `must have at most ${limit} characters`,
  min_date: (limit, value, [earliest]) =>
    value.trim() < dayOf(limit, earliest) && `must not be before ${dayOf(limit, earliest)}`,
  max_date: (limit, value, [, latest]) =>
    value.trim() > dayOf(limit, latest) && `must not be after ${dayOf(limit, latest)}`,
  pattern: (limit, value) =>
    limit !== '(' &&
    !new RegExp(`^(?:${limit})$`, 'u').test(value.trim()) &&
    `must match the pattern ${limit}`,
};

function dayOf(limit: string, today: string): string {
  const [, days] = /^today(?:\+(\d+)d)?$/.exec(limit) ?? [];
  if (!limit.startsWith('today')) return limit;
  return new Date(Date.parse(today) + Number(days ?? 0) * 86_400_000).toJSON().slice(0, 10);
}
