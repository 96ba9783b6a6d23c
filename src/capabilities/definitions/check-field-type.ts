import { isObject, quote, type Report } from './definition-error.js';

/** Other names of field types are not listed in messages, and a list has at most so many names. */
const LISTED_NAME = /^[\w -]{1,40}$/;
const MAX_LISTED = 30;

/**
 * Checks the field type of a field, and lists the known field types if it is none of them. Sets an omitted component.
 *
 * @param components the component of each known field type, by name. The check adds a new field type
 */
export function checkFieldType(type: unknown, path: string, components: Map<string, string>, report: Report) {
  const listed = [...components.keys()].filter((known) => LISTED_NAME.test(known));
  const types = listed.slice(0, MAX_LISTED).join(', ');
  if (!isObject(type)) {
    const expected = 'must be an object such as {"name": "text"}';
    const mistake = type === undefined ? `is missing; it ${expected}` : `${expected}, but is ${quote(type)}`;
    report(path, `${mistake}; the field types are ${types}`);
    return;
  }
  const { name } = type;
  if (name === undefined) report(`${path}.name`, `is missing; it must be one of ${types}`);
  if (typeof name !== 'string' || name === '') return;
  const known = components.get(name);
  const component = type['component'] ?? known;
  if (component === undefined) {
    const mistake = `must be one of ${types}, but is ${quote(name)}`;
    report(`${path}.name`, `${mistake}; a new field type needs a component`);
  } else if (known !== undefined && component !== known) {
    const of = `for the field type ${quote(name)}`;
    report(`${path}.component`, `must be ${quote(known)} ${of}, but is ${quote(component)}`);
  } else if (typeof component === 'string' && component !== '') {
    components.set(name, component);
  }
  type['component'] = component;
}
