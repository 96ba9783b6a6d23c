import { checkSchema } from './check-schema.js';
import { type Report, shown } from './definition-error.js';
import { FORM_DEFINITION, resolve, type Schema } from './definition-schema.js';
import type { FormDefinition } from './form-definition.js';

/** What a definition is checked against beside itself. */
export interface KnownNames {
  /** The component of each field type, by name; a type that a definition adds is added here. */
  readonly components: Map<string, string>;
  /** The component of a type that is not among them, where the definition does not give it either; none: a mistake. */
  readonly otherComponent?: string;
  /** The codes that the form has in the database already. */
  readonly codes: Pick<ReadonlySet<string>, 'has'>;
}

/**
 * Reports every mistake in a definition, one for each path. What is returned is complete, with the defaults of what was
 * left out; it is of use only where nothing was reported.
 *
 * No stricter than the tables, so that whatever they hold can be exported and imported again, but for the codes of
 * fields that are new to the form: these must be snake_case.
 */
export function checkDefinition(source: unknown, names: KnownNames, report: Report): FormDefinition {
  const reported = new Set<string>();
  const reportOnce: Report = (path, message) => {
    if (!reported.has(path)) report(path, message);
    reported.add(path);
  };
  checkSchema(source, names.codes, reportOnce);
  const form = complete(FORM_DEFINITION, isObject(source) ? source : {}) as FormDefinition;
  checkNames(form, names, reportOnce);
  return typeof form.uuid === 'string' ? { ...form, uuid: form.uuid.toLowerCase() } : form;
}

/** Without what is ignored, and with the defaults of what was left out; an `order` is the place in the list. */
function complete(schema: Schema, value: unknown, place?: number): unknown {
  const { items, properties } = resolve(schema);
  if (items !== undefined && Array.isArray(value)) {
    return value.map((element, index) => complete(items, element, index + 1));
  }
  if (properties === undefined || !isObject(value)) return value;
  const members = Object.entries(properties).flatMap(([key, property]) => {
    if (resolve(property).readOnly) return [];
    const given = (Object.hasOwn(value, key) ? value[key] : undefined) ?? property.default;
    const member = key === 'order' ? (given ?? place) : complete(property, given);
    return member === undefined ? [] : [[key, member] as const];
  });
  return Object.fromEntries(members);
}

/** Reports what no schema can say: names that are there twice, or lead nowhere. */
function checkNames(form: FormDefinition, names: KnownNames, report: Report): void {
  const distinct = <T>(elements: readonly Placed<T>[], key: keyof T & string) => {
    const met = new Map<T[keyof T], string>();
    for (const [element, path] of elements) {
      const [at, value] = [`${path}.${key}`, element[key]];
      const first = met.get(value);
      if (first === undefined) met.set(value, at);
      else report(at, `must not be the same as ${first} (${shown(String(value))})`);
    }
    return met;
  };
  const steps = objectsIn(form.steps, 'steps');
  const fields = steps.flatMap(([step, path]) => objectsIn(step.fields, `${path}.fields`));
  const entities = distinct(objectsIn(form.entities, 'entities'), 'name');
  distinct(steps, 'step_number');
  const codes = distinct(fields, 'code');
  for (const [{ field_type, entity, options, conditions }, path] of fields) {
    checkFieldType(field_type, `${path}.field_type`, names, report);
    if (entity !== undefined && !entities.has(entity))
      report(`${path}.entity`, `must be the name of one of the form's entities, but is ${shown(entity)}`);
    distinct(objectsIn(options, `${path}.options`), 'value');
    for (const [{ depends_on_field_code: code }, at] of objectsIn(conditions, `${path}.conditions`)) {
      if (!codes.has(code))
        report(
          `${at}.depends_on_field_code`,
          `must be the code of a field of this form, but is ${shown(code)}`,
        );
    }
  }
}

/** Gives the type its component where it was left out. */
function checkFieldType(
  type: unknown,
  path: string,
  { components, otherComponent }: KnownNames,
  report: Report,
): void {
  if (!isObject(type) || typeof type['name'] !== 'string' || type['name'] === '') return;
  const { name } = type;
  const known = components.get(name);
  const component = type['component'] ?? known ?? otherComponent;
  if (component === undefined) {
    const why = `which is not one of the field types that are known: ${[...components.keys()].join(', ')}`;
    report(`${path}.component`, `must be given for ${shown(name)}, ${why}`);
  } else if (known !== undefined && component !== known) {
    const of = `for the field type ${shown(name)}`;
    report(`${path}.component`, `must be ${shown(known)} ${of}, but is ${shown(component)}`);
  } else if (typeof component === 'string' && component !== '') {
    components.set(name, component);
  }
  type['component'] = component;
}

type Placed<T> = readonly [element: T, path: string];

/** Those elements that are objects; none where there is no list. */
function objectsIn<T>(list: readonly T[], path: string): Placed<T>[] {
  const elements: readonly T[] = Array.isArray(list) ? list : [];
  return elements.flatMap((element, index) => (isObject(element) ? [[element, `${path}[${index}]`]] : []));
}

function isObject<T>(value: T): value is T & Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
