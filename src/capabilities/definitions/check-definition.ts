import { isTimeZone } from '../../forms/field-rules/today.js';
import { checkConditions, checkRules } from './check-comparisons.js';
import { checkFieldType } from './check-field-type.js';
import { checkFormulas } from './check-formulas.js';
import { checkSchema } from './check-schema.js';
import { checkTimes } from './check-times.js';
import { checkTranslations } from './check-translations.js';
import { checkSize, type FormSize, formSizeOf } from './check-size.js';
import { isObject, quote, type Report } from './definition-error.js';
import { FORM_DEFINITION, resolveReference, type Schema } from './definition-schema.js';
import {
  type DefinedEntity,
  type DefinedField,
  fieldsOf,
  type FormDefinition,
  localesOf,
} from './form-definition.js';
import { fieldsIn, type LocatedElement, objectsIn } from './located-elements.js';
import { nameOfRule } from '../../forms/named-texts.js';
import { MAX_OPTION_BYTES, MAX_RECORDS } from '../../forms/limits.js';

export interface KnownNames extends StoredNames {
  /** The component of each field type, by name. The check adds the new types of a definition. */
  readonly components: Map<string, string>;
}

/** Names and values of the stored form. The definition may keep them, even if a new form must not have them. */
interface StoredNames {
  readonly codes: ReadonlySet<string>;
  readonly entityNames: ReadonlySet<string>;
  readonly timeZone: string | undefined;
  readonly patterns: ReadonlySet<string>;
  readonly options: ReadonlySet<string>;
  readonly locales: ReadonlySet<string>;
  readonly size?: FormSize | undefined;
}

export function namesIn(stored: FormDefinition | undefined): StoredNames {
  const fields = stored === undefined ? [] : fieldsOf(stored).map(({ field }) => field);
  const rules = fields.flatMap((field) => field.rules);
  return {
    codes: new Set(fields.map(({ code }) => code)),
    entityNames: new Set(stored?.entities.map(({ name }) => name)),
    timeZone: stored?.time_zone,
    patterns: new Set(
      rules.flatMap(({ kind, value }) => (kind === 'pattern' && value !== undefined ? [value] : [])),
    ),
    options: new Set(fields.flatMap(({ options }) => options.map(({ value }) => value))),
    locales: new Set(stored && localesOf(stored)),
    size: stored && formSizeOf(stored),
  };
}

/**
 * Reports the errors in a definition, at most one for each path. Returns the definition with defaults for omitted properties.
 * Use the result only if no error was reported.
 *
 * The check is as strict as the tables, so that every stored form can be exported and imported again. It is stricter only for
 * new parts of the form: field codes must be snake_case, patterns must compile, Node.js must know the time zone, option values
 * must fit into their unique index, entity names must differ from the keys of field errors (R3), and the form must not grow beyond
 * its limits (F14).
 */
export function checkDefinition(source: unknown, names: KnownNames, report: Report): FormDefinition {
  const reported = new Set<string>();
  const reportOnce: Report = (path, message) => {
    if (!reported.has(path)) report(path, message);
    reported.add(path);
  };
  const form = withDefaults(FORM_DEFINITION, isObject(source) ? source : {}) as FormDefinition;
  // Before the schema, whose messages cannot list the field types of the database.
  for (const [{ field_type }, path] of fieldsIn(form))
    checkFieldType(field_type, `${path}.field_type`, names.components, reportOnce);
  checkSchema(source, names.codes, reportOnce);
  checkTimeZone(form, names, reportOnce);
  const times = checkTimes(form, reportOnce);
  checkTranslations(form, names.locales, reportOnce);
  checkNames(form, names, reportOnce);
  if (reported.size === 0) checkSize(form, names.size, reportOnce);
  return { ...form, ...times, ...(typeof form.uuid === 'string' && { uuid: form.uuid.toLowerCase() }) };
}

/** Keys of schema responses that have another name here. */
const RENAMED: Readonly<Record<string, string>> = {
  ...{ value_field_code: 'value_field', other_field_code: 'other_field' },
};

/** Adds defaults and drops ignored keys. The default of an `order` is the position in the list. */
function withDefaults(schema: Schema, value: unknown, position?: number): unknown {
  const { items, properties } = resolveReference(schema);
  if (items !== undefined && Array.isArray(value))
    return value.map((element, index) => withDefaults(items, element, index + 1));
  if (properties === undefined || !isObject(value)) return value;
  const members = Object.entries(properties).flatMap(([key, property]) => {
    if (resolveReference(property).readOnly) return [];
    const given = (Object.hasOwn(value, key) ? value[key] : undefined) ?? property.default;
    const member = key === 'order' ? (given ?? position) : withDefaults(property, given);
    return member === undefined ? [] : [[RENAMED[key] ?? key, member] as const];
  });
  return Object.fromEntries(members);
}

function checkTimeZone({ time_zone }: FormDefinition, { timeZone }: KnownNames, report: Report): void {
  if (typeof time_zone !== 'string' || time_zone === timeZone || isTimeZone(time_zone)) return;
  const expected = 'must be a name of the IANA time zone database, such as Europe/Berlin';
  report('time_zone', `${expected}, but is ${quote(time_zone)}`);
}

/** Reports errors that a schema cannot express: duplicate names, and references to names that do not exist. */
function checkNames(form: FormDefinition, names: KnownNames, report: Report): void {
  const steps = objectsIn(form.steps, 'steps');
  const fields = fieldsIn(form);
  const located = objectsIn(form.entities, 'entities');
  const entities = checkUnique(located, 'name', report);
  for (const [entity, path] of located) checkRecords(entity, path, report);
  checkUnique(steps, 'step_number', report);
  const codes = checkUnique(fields, 'code', report);
  checkEntityNames(located, codes, names, report);
  const fieldsByCode = new Map(fields.map(([field]) => [field.code, field]));
  for (const [field, path] of fields) {
    const { entity, options, conditions, rules } = field;
    if (entity !== undefined && !entities.has(entity))
      report(`${path}.entity`, `must be the name of one of the form's entities, but is ${quote(entity)}`);
    checkOptions(objectsIn(options, `${path}.options`), names, report);
    const located = objectsIn(rules, `${path}.rules`);
    checkUnique(
      located.map(([rule, at]) => [{ kind: nameOfRule(rule) }, at]),
      'kind',
      report,
    );
    checkRules({ field, rules: located, fields: fieldsByCode, patterns: names.patterns, report });
    checkConditions(objectsIn(conditions, `${path}.conditions`), fieldsByCode, report);
  }
  checkFormulas(fields, fieldsByCode, report);
  for (const [{ conditions }, path] of [...steps, ...located])
    checkConditions(objectsIn(conditions, `${path}.conditions`), fieldsByCode, report);
}

function checkRecords(
  { is_repeatable, min_records, max_records }: DefinedEntity,
  path: string,
  report: Report,
): void {
  const most = max_records ?? (is_repeatable ? MAX_RECORDS : 1);
  if (!is_repeatable && most > 1)
    report(`${path}.max_records`, `must be 1 because the entity is not repeatable, but is ${most}`);
  if (min_records !== undefined && min_records > most)
    report(
      `${path}.min_records`,
      `must be at most ${most}, the maximum number of records, but is ${min_records}`,
    );
}

/**
 * Keeps the keys of field errors unambiguous: a key is the name of an entity, the code of a field, or a code with the id of a
 * record, such as `code.17` (R3, J4).
 */
function checkEntityNames(
  entities: readonly LocatedElement<DefinedEntity>[],
  codes: ReadonlyMap<string, string>,
  known: KnownNames,
  report: Report,
): void {
  for (const [{ name }, path] of entities) {
    const isKnown = known.entityNames.has(name);
    const code = codes.get(name);
    if (code !== undefined && !(isKnown && known.codes.has(name)))
      report(`${path}.name`, `must differ from all field codes, but ${code} is ${quote(name)} too`);
    else if (/[.]\d+$/.test(name) && !isKnown)
      report(`${path}.name`, `must not end in a dot and a number, but is ${quote(name)}`);
  }
}

/** A stored option may be longer than the limit, because PostgreSQL compresses index entries. */
function checkOptions(
  options: readonly LocatedElement<DefinedField['options'][number]>[],
  names: KnownNames,
  report: Report,
): void {
  checkUnique(options, 'value', report);
  for (const [{ value }, path] of options) {
    const bytes = typeof value === 'string' ? Buffer.byteLength(value) : 0;
    if (bytes > MAX_OPTION_BYTES && !names.options.has(value))
      report(`${path}.value`, `must have at most ${MAX_OPTION_BYTES} bytes in UTF-8, but has ${bytes}`);
  }
}

/** Reports every repeated value of the key as a duplicate. Returns a map from each value to the path of its first occurrence. */
function checkUnique<T, K extends keyof T & string>(
  elements: readonly LocatedElement<T>[],
  key: K,
  report: Report,
): ReadonlyMap<T[K], string> {
  const paths = new Map<T[K], string>();
  for (const [element, path] of elements) {
    const value = element[key];
    const first = paths.get(value);
    if (first === undefined) paths.set(value, `${path}.${key}`);
    else report(`${path}.${key}`, `must be unique, but is a duplicate of ${first} (${quote(String(value))})`);
  }
  return paths;
}
