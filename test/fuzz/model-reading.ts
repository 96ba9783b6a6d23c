import type { ModelField, ModelForm, ModelRecord } from './model-types.js';
import type { Request } from './requests.js';

/** The response that the model expects. */
export interface Expected {
  readonly status: number;
  /** The exact body. */
  readonly body?: unknown;
  /** For an error: its message, instead of a body. */
  readonly message?: string | RegExp;
  readonly mistakes?: Mistakes | undefined;
  readonly etag?: string | undefined;
  readonly location?: string;
}

export class Refusal extends Error {
  readonly expected: Expected;

  constructor(status: number, message: string | RegExp, mistakes?: Expected['mistakes']) {
    super(String(message));
    this.expected = { status, message, mistakes };
  }
}

export function refuse(status: number, message: string | RegExp): never {
  throw new Refusal(status, message);
}

/** For each field error, the names under which the service may report it. */
export type Mistakes = readonly (readonly string[])[];

/** Rejects the request with 422 if there are field errors (E1). */
export function refuseIfWrong(mistakes: Mistakes): void {
  if (mistakes.length > 0) throw new Refusal(422, 'The given data was invalid.', mistakes);
}

/** Rejects the request with 422 for one name. */
export function refuseName(name: string): never {
  throw new Refusal(422, 'The given data was invalid.', [[name]]);
}

/** Returns the names of the checks that failed. */
export const failed = (checks: Readonly<Record<string, boolean>>) =>
  Object.keys(checks).filter((name) => checks[name] === false);

/** Rejects the request with 422 if checks failed. The service names all of them. */
export function refuseUnless(checks: Readonly<Record<string, boolean>>): void {
  refuseIfWrong(failed(checks).map((name) => [name]));
}

/** Rejects the request with 422 if checks failed. The service may name any of them. */
export function refuseUnlessAny(checks: Readonly<Record<string, boolean>>): void {
  const names = failed(checks);
  refuseIfWrong(names.length > 0 ? [names] : []);
}

const isOneOf =
  (...texts: unknown[]) =>
  (given: unknown) =>
    texts.includes(given);
/** Whether a query parameter is left out or one of two words. */
const isFlag = isOneOf(undefined, 'true', 'false');
export const isStatus = isOneOf(undefined, 'draft', 'completed');
export const isText = (given: unknown) => typeof given === 'string';

/** Returns the UUID in the path. A malformed UUID is 404 before any other error (F6). */
export function nameOf(request: Request): string {
  return isNamed(request) ? request.path!['uuid']!.toLowerCase() : refuse(404, 'Submission not found.');
}

const isNamed = ({ path }: Request) =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(path?.['uuid'] ?? '');

/** Returns the record id in the path. An impossible id is 404 (R2). If the UUID is malformed too, either message is allowed. */
export function recordIdOf(request: Request): number {
  const id = request.path?.['id'] ?? '';
  const isId = /^[1-9]\d*$/.test(id) && Number(id) <= Number.MAX_SAFE_INTEGER;
  if (!isId) refuse(404, isNamed(request) ? 'Record not found.' : /^(Submission|Record) not found\.$/);
  nameOf(request);
  return Number(id);
}

/** Returns undefined if there is no body. */
export function readJson({ body }: Request): unknown {
  if (body === undefined) return undefined;
  if (body.type !== 'application/json') {
    refuse(415, 'The request body must be JSON: send it with Content-Type: application/json.');
  }
  try {
    const json: unknown = JSON.parse(body.text);
    if (valuesOf(json) > 20_000)
      refuse(413, 'The request body has more than 20000 values, objects and arrays included.');
    return depthOf(json) <= 64 ? json : refuse(400, 'The request body is nested deeper than 64 levels.');
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return refuse(400, /^The request body is not valid JSON: /);
  }
}

function depthOf(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 0;
  return 1 + Math.max(0, ...Object.values(json).map(depthOf));
}

/** An empty object or array counts twice. */
function valuesOf(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 1;
  const members = Object.values(json);
  return members.length === 0 ? 2 : members.reduce<number>((sum, member) => sum + valuesOf(member), 1);
}

/** `others` are names of errors that the service may report instead of the error in the body. */
export function objectIn(json: unknown, others: readonly string[] = []): Record<string, unknown> {
  if (json === undefined) return {};
  if (typeof json !== 'object' || json === null || Array.isArray(json)) refuseIfWrong([['body', ...others]]);
  return json as Record<string, unknown>;
}

/** Returns a language tag in canonical letter case (L2). Undefined: it is malformed. */
export function tagOf(given: unknown): string | undefined {
  try {
    if (typeof given !== 'string' || given.length > 35 || new Intl.Locale(given).language === '')
      return undefined;
  } catch {
    return undefined;
  }
  // Subtags before the first of one letter.
  return given
    .toLowerCase()
    .replace(/(?<=^(?:[a-z\d]{2,8}-)+)[a-z]{2}(?=-|$)/g, (region) => region.toUpperCase())
    .replace(/(?<=^(?:[a-z\d]{2,8}-)+)[a-z](?=[a-z]{3}(?:-|$))/gi, (letter) => letter.toUpperCase());
}

/** No form of the fuzzing has translations, so a language changes nothing but the links of the list. */
export const localeCheck = (locale: unknown) => ({
  locale: locale === undefined || tagOf(locale) !== undefined,
});

export const keyCheck = ({ headers: { 'Idempotency-Key': key } }: Request) => ({
  'Idempotency-Key': key === undefined || /^[ -~]{1,255}$/.test(key),
});

export const tagsIn = (header = '') => header.split(',').map((tag) => tag.trim());

type Entry = Readonly<Record<string, unknown>>;

/** Whether a query parameter is an integer from 1 to `max` (F2). A repeated parameter is an array and therefore invalid. */
export function isIntegerText(given: unknown, max: number): boolean {
  return typeof given === 'string' && /^\d+$/.test(given) && Number(given) >= 1 && Number(given) <= max;
}

/** Whether `meta` can be stored (S5, V9, V10). */
export function isStorableMeta(meta: unknown): boolean {
  if (meta === undefined || meta === null) return true;
  if (typeof meta !== 'object' || Array.isArray(meta)) return false;
  return Buffer.byteLength(JSON.stringify(meta)) <= 16_384 && textsIn(meta).every(isStorable);
}

function textsIn(json: unknown): string[] {
  if (typeof json === 'string') return [json];
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, member]) => [name, ...textsIn(member)]);
}

const isStorable = (text: string) => !text.includes('\0') && !/[\ud800-\udfff]/u.test(text);

const isIdUpTo = (given: unknown, max: number) =>
  Number.isInteger(given) && Number(given) >= 1 && Number(given) <= max;

const isFieldId = (given: unknown) => isIdUpTo(given, 2_147_483_647);
const isRecordId = (given: unknown) => isIdUpTo(given, Number.MAX_SAFE_INTEGER);

/** Errors in `values` that need no form to be found (V1, V4, V9, V10). */
export function mistakesIn(values: unknown): Mistakes {
  if (!Array.isArray(values) || values.length > 500) return [['values']];
  return values.flatMap((entry: unknown, index) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [[`values.${index}`]];
    return namesOfMistakes(entry as Entry).map((name) => [`values.${index}.${name}`]);
  });
}

function namesOfMistakes({ field_id, field_code, value, entity_record_id }: Entry): string[] {
  const isNamed = field_id !== undefined || field_code !== undefined;
  return failed({
    field_id: isNamed && (field_id === undefined || isFieldId(field_id)),
    field_code: field_code === undefined || isText(field_code),
    value: typeof value === 'string' && Array.from(value).length <= 65_535 && isStorable(value),
    entity_record_id: (entity_record_id ?? null) === null || isRecordId(entity_record_id),
  });
}

/** Returns the field of each entry. Rejects the request if an entry names no field that can have values (V1, V2, V8). */
export function namedFields(form: ModelForm, entries: readonly Entry[]): ModelField[] {
  const fields = form.schema.steps.flatMap((step) => step.fields);
  const mistakes: string[][] = [];
  const named = entries.map(({ field_id, field_code }, index) => {
    const found = fields.find(
      ({ id, code }) =>
        (field_id === undefined || id === field_id) && (field_code === undefined || code === field_code),
    );
    if (found === undefined || found.field_type.component.endsWith('-display')) {
      const names = Object.entries({ field_id, field_code }).filter(([, given]) => given !== undefined);
      mistakes.push(names.map(([name]) => `values.${index}.${name}`));
    }
    return found!;
  });
  refuseIfWrong(mistakes);
  return named;
}

/** Errors for records that do not belong to the submission (V7). */
export function foreignRecords(own: readonly ModelRecord[], entries: readonly Entry[]): Mistakes {
  return entries.flatMap(({ entity_record_id }, index) =>
    (entity_record_id ?? null) === null || own.some(({ id }) => id === entity_record_id)
      ? []
      : [[`values.${index}.entity_record_id`]],
  );
}

/** The query parameters for conditions (C1). */
export const conditionsChecks = ({ query: { shape, scope, explain, steps, computed } }: Request) => ({
  shape: isOneOf(undefined, 'map', 'list')(shape),
  scope: isOneOf(undefined, 'records')(scope),
  explain: isFlag(explain),
  steps: isFlag(steps),
  computed: isFlag(computed),
});

/** `include` and the parameters for conditions (V13). With `include`, the conditions of records cannot be explained. */
export const includeChecks = (request: Request) => {
  const { include, scope, explain } = request.query;
  const isTooMuch = include === 'conditions' && scope === 'records' && explain === 'true';
  return { include: isOneOf(undefined, 'conditions')(include) && !isTooMuch, ...conditionsChecks(request) };
};
