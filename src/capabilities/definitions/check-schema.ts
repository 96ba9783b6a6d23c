import { Ajv2020 } from 'ajv/dist/2020.js';
import { FORM_DEFINITION, resolveReference, type Schema } from './definition-schema.js';
import { quote, type Report } from './definition-error.js';
import { pathOf } from './parse-json.js';

// Does not validate the schema itself, because a test does.
const validate = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  validateSchema: false,
}).compile(FORM_DEFINITION);

/** The pattern of codes that are new to a form. A stored form may have other codes, from the administration panel. */
const NEW_CODE = FORM_DEFINITION.$defs.field.properties.code.pattern;

/** Reports everything that the schema does not allow, except existing codes that are not snake_case. */
export function checkSchema(value: unknown, existingCodes: ReadonlySet<string>, report: Report): void {
  if (validate(value)) return;
  for (const error of validate.errors ?? []) {
    const { schema, parentSchema, instancePath, keyword, params, data } = error;
    // Skipped, because the errors of the `then` schema explain the problem.
    if (keyword === 'if') continue;
    // Skipped, because checkTranslations explains which language tags are wrong.
    if (keyword === 'propertyNames' || error.propertyName !== undefined) continue;
    if (schema === NEW_CODE && existingCodes.has(data as string)) continue;
    const { missingProperty, additionalProperty } = params as Partial<Record<string, string>>;
    const key = missingProperty ?? additionalProperty;
    const path = [...segmentsOf(instancePath), ...(key === undefined ? [] : [key])];
    report(pathOf(path), (MESSAGES[keyword] ?? valueMessage)(parentSchema as Schema, key ?? data));
  }
}

/** Splits a JSON pointer (RFC 6901). */
function segmentsOf(pointer: string): (string | number)[] {
  const segments = pointer.split('/').slice(1);
  return segments.map((segment) =>
    /^\d+$/.test(segment) ? Number(segment) : segment.replaceAll('~1', '/').replaceAll('~0', '~'),
  );
}

/** Describes a wrong value, a missing key or an unknown key. */
type Message = (schema: Schema, subject: unknown) => string;

const lengthMessage: Message = (schema, text) =>
  `must be ${expected(schema)}, but has ${Array.from(text as string).length}`;

const MESSAGES: Readonly<Record<string, Message>> = {
  required: ({ properties }, key) => `is missing; it must be ${expected(properties?.[key as string] ?? {})}`,
  additionalProperties: (schema) => `is not a known key; the keys here are ${knownKeys(schema)}`,
  minLength: lengthMessage,
  maxLength: lengthMessage,
};

/** The message for keywords that describe the value: type, enum, pattern, minimum, maximum. */
const valueMessage: Message = (schema, value) => `must be ${expected(schema)}, but is ${quote(value)}`;

function knownKeys({ properties = {} }: Schema): string {
  const keys = Object.keys(properties).filter((key) => !resolveReference(properties[key] ?? {}).readOnly);
  return keys.join(', ');
}

function expected(schema: Schema): string {
  const { type, enum: choices, minimum, maximum } = resolveReference(schema);
  const orNull = schema.default === null ? ' or null' : '';
  if (choices !== undefined)
    return `one of ${choices.filter((choice) => choice !== null).join(', ')}${orNull}`;
  if (type?.includes('string')) return `${expectedText(schema)}${orNull}`;
  if (type?.includes('object')) return `an object${orNull}`;
  if (type?.includes('integer')) return `a whole number from ${minimum} to ${maximum}${orNull}`;
  return type === 'boolean' ? 'true or false' : 'an array';
}

function expectedText({ title, minLength = 0, maxLength }: Schema): string {
  if (title !== undefined) return title;
  if (maxLength === undefined) return minLength > 0 ? 'a text that is not empty' : 'a text';
  return minLength > 0
    ? `a text of ${minLength} to ${maxLength} characters`
    : `a text of at most ${maxLength} characters`;
}
