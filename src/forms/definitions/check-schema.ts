import { Ajv2020 } from 'ajv/dist/2020.js';
import { FORM_DEFINITION, resolve, type Schema } from './definition-schema.js';
import { quote, type Report } from './definition-error.js';
import { pathOf } from './parse-json.js';

// The schema itself is checked by a test.
const validate = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  validateSchema: false,
}).compile(FORM_DEFINITION);

/** What codes that are new to a form look like. It may have others, which the administration panel made. */
const NEW_CODE = FORM_DEFINITION.$defs.field.properties.code.pattern;

/** Reports what the schema does not allow, except existing codes that only look different from new ones. */
export function checkSchema(value: unknown, existingCodes: ReadonlySet<string>, report: Report): void {
  if (validate(value)) return;
  for (const { schema, parentSchema, instancePath, keyword, params, data } of validate.errors ?? []) {
    // What is wrong is reported by what the `then` says.
    if (keyword === 'if') continue;
    if (schema === NEW_CODE && existingCodes.has(data as string)) continue;
    const { missingProperty, additionalProperty } = params as Partial<Record<string, string>>;
    const key = missingProperty ?? additionalProperty;
    const path = [...segmentsOf(instancePath), ...(key === undefined ? [] : [key])];
    report(pathOf(path), (MESSAGES[keyword] ?? valueMessage)(parentSchema as Schema, key ?? data));
  }
}

/** Of a JSON pointer (RFC 6901) whose keys are those of the schema, which has none that need an escape. */
function segmentsOf(pointer: string): (string | number)[] {
  const segments = pointer.split('/').slice(1);
  return segments.map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment));
}

/** Says what is wrong with a value, or with a key that is missing or unknown. */
type Message = (schema: Schema, subject: unknown) => string;

const lengthMessage: Message = (schema, text) =>
  `must be ${expected(schema)}, but has ${Array.from(text as string).length}`;

/** By the keyword of the schema that is not met. */
const MESSAGES: Readonly<Record<string, Message>> = {
  required: ({ properties }, key) => `is missing; it must be ${expected(properties?.[key as string] ?? {})}`,
  additionalProperties: (schema) => `is not a key that is known here; known are ${knownKeys(schema)}`,
  minLength: lengthMessage,
  maxLength: lengthMessage,
};

/** For the keywords that say what a value is: type, enum, pattern, minimum, maximum. */
const valueMessage: Message = (schema, value) => `must be ${expected(schema)}, but is ${quote(value)}`;

function knownKeys({ properties = {} }: Schema): string {
  const keys = Object.keys(properties).filter((key) => !resolve(properties[key] ?? {}).readOnly);
  return keys.join(', ');
}

/** What a value must be to be valid. */
function expected(schema: Schema): string {
  const { type, enum: choices, minimum, maximum } = resolve(schema);
  const orNull = schema.default === null ? ' or null' : '';
  if (choices !== undefined)
    return `one of ${choices.filter((choice) => choice !== null).join(', ')}${orNull}`;
  if (type?.includes('string')) return `${expectedText(schema)}${orNull}`;
  if (type?.includes('object')) return `an object${orNull}`;
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`;
  return type === 'boolean' ? 'true or false' : 'an array';
}

function expectedText({ title, minLength = 0, maxLength }: Schema): string {
  if (title !== undefined) return title;
  if (maxLength === undefined) return minLength > 0 ? 'a text that is not empty' : 'a text';
  return minLength > 0
    ? `a text of ${minLength} to ${maxLength} characters`
    : `a text of at most ${maxLength} characters`;
}
