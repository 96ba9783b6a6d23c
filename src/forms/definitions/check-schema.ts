import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { CODE, FORM_DEFINITION, resolve, type Schema } from './definition-schema.js';
import { type Report, shown } from './definition-error.js';
import { pathOf } from './parse-json.js';

// The schema itself is checked by a test.
const validate = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  validateSchema: false,
}).compile(FORM_DEFINITION);

/** Reports what the schema does not allow, but for codes that are known and only look different from new ones. */
export function checkSchema(
  value: unknown,
  knownCodes: Pick<ReadonlySet<string>, 'has'>,
  report: Report,
): void {
  if (validate(value)) return;
  for (const error of validate.errors ?? []) {
    if (error.schema === CODE && knownCodes.has(error.data as string)) continue;
    const violation = violationOf(error);
    report(violation.path, (SENTENCES[error.keyword] ?? otherwise)(violation));
  }
}

interface Violation {
  readonly path: string;
  readonly schema: Schema;
  readonly value: unknown;
  /** The key that is missing, or one too many. */
  readonly key: string;
}

function violationOf({ instancePath, params, parentSchema, data }: ErrorObject): Violation {
  const { missingProperty, additionalProperty } = params as Partial<Record<string, string>>;
  const key = missingProperty ?? additionalProperty;
  const segments = instancePath.split('/').slice(1);
  const path = [...segments.map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment)), key ?? []];
  return { path: pathOf(path.flat()), schema: parentSchema as Schema, value: data, key: key ?? '' };
}

type Sentence = (violation: Violation) => string;

const lengthSentence: Sentence = ({ schema, value }) =>
  `must be ${wanted(schema)}, but has ${Array.from(value as string).length}`;

/** By the keyword of the schema that is not met. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  required: ({ schema, key }) => `is missing; it must be ${wanted(schema.properties?.[key] ?? {})}`,
  additionalProperties: ({ schema }) => `is not a key that is known here; known are ${knownKeys(schema)}`,
  minLength: lengthSentence,
  maxLength: lengthSentence,
};

/** Of the keywords that say what a value is: type, enum, pattern, minimum, maximum. */
const otherwise: Sentence = ({ schema, value }) => `must be ${wanted(schema)}, but is ${shown(value)}`;

function knownKeys({ properties = {} }: Schema): string {
  const keys = Object.entries(properties).flatMap(([key, { readOnly }]) => (readOnly ? [] : [key]));
  return keys.join(', ');
}

/** What a value must be to fit the schema. */
function wanted(schema: Schema): string {
  const { type, enum: choices, minimum, maximum } = resolve(schema);
  if (choices !== undefined) return `one of ${choices.join(', ')}`;
  const orNull = schema.default === null ? ' or null' : '';
  if (type?.includes('string')) return `${wantedText(schema)}${orNull}`;
  if (type?.includes('object')) return `an object${orNull}`;
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`;
  return type === 'boolean' ? 'true or false' : 'an array';
}

function wantedText({ title, minLength = 0, maxLength }: Schema): string {
  if (title !== undefined) return title;
  if (maxLength === undefined) return minLength > 0 ? 'a text that is not empty' : 'a text';
  return minLength > 0
    ? `a text of ${minLength} to ${maxLength} characters`
    : `a text of at most ${maxLength} characters`;
}
