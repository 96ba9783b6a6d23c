import { refuseIfWrong } from './model-refusal.js';
import type { ModelField, ModelForm, ModelRecord } from './model-types.js';
import type { Request } from './requests.js';

type Mistakes = string[][];
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
  const isValue = typeof value === 'string' && Array.from(value).length <= 65_535 && isStorable(value);
  return [
    ...(isNamed && (field_id === undefined || isFieldId(field_id)) ? [] : ['field_id']),
    ...(field_code === undefined || typeof field_code === 'string' ? [] : ['field_code']),
    ...(isValue ? [] : ['value']),
    ...((entity_record_id ?? null) === null || isRecordId(entity_record_id) ? [] : ['entity_record_id']),
  ];
}

/** Returns the field of each entry. Rejects the request if an entry names no field that can have values (V1, V2, V8). */
export function namedFields(form: ModelForm, entries: readonly Entry[]): ModelField[] {
  const fields = form.schema.steps.flatMap((step) => step.fields);
  const mistakes: Mistakes = [];
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

/** Errors in the query parameters for conditions (C1). */
export function conditionsMistakes({ query: { shape, scope, explain, steps } }: Request): string[][] {
  return [
    ...([undefined, 'map', 'list'].includes(shape as string) ? [] : [['shape']]),
    ...([undefined, 'records'].includes(scope as string) ? [] : [['scope']]),
    ...([undefined, 'true', 'false'].includes(explain as string) ? [] : [['explain']]),
    ...([undefined, 'true', 'false'].includes(steps as string) ? [] : [['steps']]),
  ];
}

/** Errors in `include` and the parameters for conditions (V13). */
export function includeMistakes(request: Request): string[][] {
  const { include, scope, explain } = request.query;
  // With `include`, the conditions of records cannot be explained.
  const isTooMuch = include === 'conditions' && scope === 'records' && explain === 'true';
  return [
    ...((include === undefined || include === 'conditions') && !isTooMuch ? [] : [['include']]),
    ...conditionsMistakes(request),
  ];
}
