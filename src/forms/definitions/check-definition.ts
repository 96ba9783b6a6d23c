import { compilePattern } from '../field-rules/pattern.js';
import { isTimeZone } from '../field-rules/today.js';
import { checkSchema } from './check-schema.js';
import { quote, type Report } from './definition-error.js';
import { FORM_DEFINITION, resolve, type Schema } from './definition-schema.js';
import { type DefinedEntity, type DefinedField, fieldsOf, type FormDefinition } from './form-definition.js';
import { MAX_OPTION_BYTES, MAX_RECORDS } from '../limits.js';

/** What a definition is checked against beside the schema. */
export interface KnownNames extends StoredNames {
  /** The component of each field type, by name; a type that a definition adds is added here. */
  readonly components: Map<string, string>;
}

/** What the form has in the database already, and may keep. */
interface StoredNames {
  readonly codes: ReadonlySet<string>;
  readonly entityNames: ReadonlySet<string>;
  readonly timeZone: string | undefined;
  /** The patterns of its rules. */
  readonly patterns: ReadonlySet<string>;
  /** The values of its options. */
  readonly options: ReadonlySet<string>;
}

/** Undefined: the form is new. */
export function namesIn(stored: FormDefinition | undefined): StoredNames {
  const fields = stored === undefined ? [] : fieldsOf(stored).map(({ field }) => field);
  const rules = fields.flatMap((field) => field.rules);
  return {
    codes: new Set(fields.map(({ code }) => code)),
    entityNames: new Set(stored?.entities.map(({ name }) => name)),
    timeZone: stored?.time_zone,
    patterns: new Set(rules.filter(({ kind }) => kind === 'pattern').map(({ value }) => value)),
    options: new Set(fields.flatMap(({ options }) => options.map(({ value }) => value))),
  };
}

/**
 * Reports every mistake in a definition, one for each path. What is returned is complete, with the defaults of what was
 * left out; it is of use only where nothing was reported.
 *
 * No stricter than the tables, so that whatever they hold can be exported and imported again, except that what is new to
 * the form is looked at more closely: codes of fields must be snake_case, patterns must compile, the value of an option must
 * fit into the index that keeps it unique, and the name of an entity must not be taken for one of a field (R3).
 */
export function checkDefinition(source: unknown, names: KnownNames, report: Report): FormDefinition {
  const reported = new Set<string>();
  const reportOnce: Report = (path, message) => {
    if (!reported.has(path)) report(path, message);
    reported.add(path);
  };
  checkSchema(source, names.codes, reportOnce);
  const form = withDefaults(FORM_DEFINITION, isObject(source) ? source : {}) as FormDefinition;
  checkTimeZone(form, names, reportOnce);
  checkNames(form, names, reportOnce);
  return typeof form.uuid === 'string' ? { ...form, uuid: form.uuid.toLowerCase() } : form;
}

/** Without the keys that are ignored; the default of an `order` is the position in the list. */
function withDefaults(schema: Schema, value: unknown, position?: number): unknown {
  const { items, properties } = resolve(schema);
  if (items !== undefined && Array.isArray(value)) {
    return value.map((element, index) => withDefaults(items, element, index + 1));
  }
  if (properties === undefined || !isObject(value)) return value;
  const members = Object.entries(properties).flatMap(([key, property]) => {
    if (resolve(property).readOnly) return [];
    const given = (Object.hasOwn(value, key) ? value[key] : undefined) ?? property.default;
    const member = key === 'order' ? (given ?? position) : withDefaults(property, given);
    return member === undefined ? [] : [[key, member] as const];
  });
  return Object.fromEntries(members);
}

function checkTimeZone({ time_zone }: FormDefinition, { timeZone }: KnownNames, report: Report): void {
  if (typeof time_zone !== 'string' || time_zone === timeZone || isTimeZone(time_zone)) return;
  const expected = 'must be a name of the IANA time zone database, such as Europe/Berlin';
  report('time_zone', `${expected}, but is ${quote(time_zone)}`);
}

/** Reports what no schema can say: duplicate names, and references to names that do not exist. */
function checkNames(form: FormDefinition, names: KnownNames, report: Report): void {
  const steps = objectsIn(form.steps, 'steps');
  const fields = steps.flatMap(([step, path]) => objectsIn(step.fields, `${path}.fields`));
  const located = objectsIn(form.entities, 'entities');
  const entities = checkUnique(located, 'name', report);
  for (const [entity, path] of located) checkRecords(entity, path, report);
  checkUnique(steps, 'step_number', report);
  const codes = checkUnique(fields, 'code', report);
  checkEntityNames(located, codes, names, report);
  for (const [{ field_type, entity, options, conditions, rules }, path] of fields) {
    checkFieldType(field_type, `${path}.field_type`, names, report);
    if (entity !== undefined && !entities.has(entity))
      report(`${path}.entity`, `must be the name of one of the form's entities, but is ${quote(entity)}`);
    checkOptions(objectsIn(options, `${path}.options`), names, report);
    checkRules(objectsIn(rules, `${path}.rules`), names, report);
    for (const [{ depends_on_field_code: code }, at] of objectsIn(conditions, `${path}.conditions`)) {
      if (codes.has(code)) continue;
      const message = `must be the code of a field of this form, but is ${quote(code)}`;
      report(`${at}.depends_on_field_code`, message);
    }
  }
}

function checkRecords(
  { is_repeatable, min_records, max_records }: DefinedEntity,
  path: string,
  report: Report,
): void {
  const most = max_records ?? (is_repeatable ? MAX_RECORDS : 1);
  if (!is_repeatable && most > 1)
    report(`${path}.max_records`, `must be 1 where the entity is not repeatable, but is ${most}`);
  if (min_records !== undefined && min_records > most)
    report(
      `${path}.min_records`,
      `must be at most ${most}, how many records there can be, but is ${min_records}`,
    );
}

/** R3, J4: in a response, mistakes of a record are named by its entity, and those of a field in a record `code.17`. */
function checkEntityNames(
  entities: readonly Located<DefinedEntity>[],
  codes: ReadonlyMap<string, string>,
  known: KnownNames,
  report: Report,
): void {
  for (const [{ name }, path] of entities) {
    const isKnown = known.entityNames.has(name);
    const code = codes.get(name);
    if (code !== undefined && !(isKnown && known.codes.has(name)))
      report(`${path}.name`, `must not be the code of a field too, but ${code} is ${quote(name)} as well`);
    else if (/[.]\d+$/.test(name) && !isKnown)
      report(`${path}.name`, `must not end in a dot and a number, but is ${quote(name)}`);
  }
}

/** PostgreSQL compresses what it indexes, so that it may hold a longer value. */
function checkOptions(
  options: readonly Located<DefinedField['options'][number]>[],
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

function checkRules(
  rules: readonly Located<DefinedField['rules'][number]>[],
  { patterns }: KnownNames,
  report: Report,
): void {
  checkUnique(rules, 'kind', report);
  for (const [{ kind, value }, path] of rules) {
    if (kind !== 'pattern' || typeof value !== 'string' || patterns.has(value)) continue;
    const pattern = compilePattern(value);
    if (typeof pattern === 'string')
      report(`${path}.value`, `must be a regular expression of RE2, but ${quote(value)} is not: ${pattern}`);
  }
}

/** Gives the type its component where it was left out. */
function checkFieldType(type: unknown, path: string, { components }: KnownNames, report: Report): void {
  if (!isObject(type) || typeof type['name'] !== 'string' || type['name'] === '') return;
  const { name } = type;
  const known = components.get(name);
  const component = type['component'] ?? known;
  if (component === undefined) {
    const why = `which is not one of the field types that are known: ${[...components.keys()].join(', ')}`;
    report(`${path}.component`, `must be given for ${quote(name)}, ${why}`);
  } else if (known !== undefined && component !== known) {
    const of = `for the field type ${quote(name)}`;
    report(`${path}.component`, `must be ${quote(known)} ${of}, but is ${quote(component)}`);
  } else if (typeof component === 'string' && component !== '') {
    components.set(name, component);
  }
  type['component'] = component;
}

type Located<T> = readonly [element: T, path: string];

/** Reports every value of the key but the first as a duplicate; returns the values. */
function checkUnique<T, K extends keyof T & string>(
  elements: readonly Located<T>[],
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

/** Those elements that are objects; none where there is no list. */
function objectsIn<T>(list: readonly T[], path: string): Located<T>[] {
  const elements: readonly T[] = Array.isArray(list) ? list : [];
  return elements.flatMap((element, index) => (isObject(element) ? [[element, `${path}[${index}]`]] : []));
}

function isObject<T>(value: T): value is T & Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
