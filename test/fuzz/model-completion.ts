import { decimal, difference, fieldState } from './model-conditions.js';
import type { ModelField, ModelSubmission } from './model-types.js';

/** What strict completion refuses (S4, J1 to J6), by code and record, as the contract words it: of one step or of all. */
export function completionErrors({ form, values }: ModelSubmission, stepNumber?: number) {
  const errors: Record<string, string[]> = {};
  const stored = [...values.values()];
  const valuesOf = (id: number) => stored.filter(({ field_id }) => field_id === id).map(({ value }) => value);
  const steps = form.schema.steps.filter(({ step_number }) => [undefined, step_number].includes(stepNumber));
  for (const field of steps.flatMap(({ fields }) => fields)) {
    const { visible, required } = fieldState(field, valuesOf);
    if (!visible || field.field_type.component.endsWith('-display')) continue;
    const own = stored
      .filter(({ field_id, value }) => field_id === field.id && value !== '')
      .sort((a, b) => (a.entity_record_id ?? 0) - (b.entity_record_id ?? 0));
    if (own.length === 0 && required) errors[field.code] = [`The ${field.code} is required.`];
    for (const { value, entity_record_id } of own) {
      const key = field.is_repeatable && entity_record_id !== null ? `.${entity_record_id}` : '';
      const sentences = sentencesOf(field, required, value);
      if (sentences.length > 0) errors[`${field.code}${key}`] = sentences;
    }
  }
  return errors;
}

function sentencesOf({ code, field_type, rules }: ModelField, isRequired: boolean, value: string): string[] {
  const { component } = field_type;
  if (component === 'number-input' && decimal(value) === undefined)
    return [`The ${code} must be a decimal number.`];
  if (component === 'checkbox-input' && !/^(true|false|yes|no|on|off|1|0)$/i.test(value))
    return [`The ${code} must be true or false.`];
  if (component === 'checkbox-input' && isRequired && /^(false|no|off|0)$/i.test(value))
    return [`The ${code} is required.`];
  const bound = (kind: string) => rules.find((rule) => rule.kind === kind)?.value;
  const [min, max] = [bound('min'), bound('max')];
  const isContradiction = min !== undefined && max !== undefined && difference(min, max) > 0n;
  return rules
    .filter(({ kind }) => !(isContradiction && (kind === 'min' || kind === 'max')))
    .flatMap(({ kind, value: limit, message }) => {
      const said = broken(kind, limit, value);
      return said === undefined ? [] : [message ?? `The ${code} ${said}.`];
    });
}

/** Of rules as the forms of the fuzzing have them; a pattern that does not compile is never broken (J5). */
function broken(kind: string, limit: string, value: string): string | undefined {
  const { length } = Array.from(value);
  switch (kind) {
    case 'min':
      return difference(value, limit) < 0n ? `must be at least ${limit}` : undefined;
    case 'max':
      return difference(value, limit) > 0n ? `must be at most ${limit}` : undefined;
    case 'min_length':
      return length < Number(limit) ? `must have at least ${limit} characters` : undefined;
    case 'max_length':
      return length > Number(limit) ? `must have at most ${limit} characters` : undefined;
    case 'pattern':
      return limit === '(' || new RegExp(`^(?:${limit})$`, 'u').test(value)
        ? undefined
        : `must match the pattern ${limit}`;
    default:
      throw new Error(`The forms of the fuzzing have no rule ${kind}.`);
  }
}
