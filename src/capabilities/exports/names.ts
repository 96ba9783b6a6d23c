import { definitionOf } from '../../forms/field-types.js';
import { listReader } from '../../forms/option-list.js';
import type { ExportedField } from './exported-form.js';

interface NamedField {
  readonly code: string;
  readonly label: string;
}

/** Names columns by the codes of their fields. Puts `values.` before a code that is taken, until all names differ. */
export function distinctCodes(
  fields: readonly { readonly code: string }[],
  taken: readonly string[],
): string[] {
  const names = new Set([...fields.map(({ code }) => code), ...taken]);
  return fields.map(({ code }) => {
    if (!taken.includes(code)) return code;
    let name = `values.${code}`;
    while (names.has(name)) name = `values.${name}`;
    names.add(name);
    return name;
  });
}

/**
 * Returns distinct labels. Replaces a blank label by the code. Adds the code in brackets to a
 * label that is taken or shared.
 */
export function distinctLabels(named: readonly NamedField[], taken: readonly string[] = []): string[] {
  const uses = new Map(taken.map((name) => [name, 1]));
  for (const { label } of named) uses.set(label, (uses.get(label) ?? 0) + 1);
  const isDistinct = ({ label }: NamedField) => /\S/.test(label) && uses.get(label) === 1;
  const names = new Set([...taken, ...named.filter(isDistinct).map(({ label }) => label)]);
  return named.map((one) => {
    if (isDistinct(one)) return one.label;
    let name = one.label.trimEnd();
    do name = name === '' ? one.code : `${name} (${one.code})`;
    while (names.has(name));
    names.add(name);
    return name;
  });
}

/**
 * Returns a function that shows a value of a field by the labels of its options. Different values are always
 * shown differently: labels are distinct, a label with a comma is quoted in a list, and a text that equals a
 * label but is not an option is marked.
 */
export function optionLabels({ component, options }: ExportedField): (value: string) => string {
  if (options.length === 0) return (value) => value;
  const labels = distinctLabels(options.map(({ value, label }) => ({ code: value, label })));
  const labelsByValue = new Map(options.map(({ value }, index) => [value, labels[index] ?? value]));
  const shown = new Set(labels);
  const unknown = (text: string) => (shown.has(text) ? `${text} (not an option)` : text);
  if (definitionOf(component).holds !== 'options') {
    return (value) => labelsByValue.get(value) ?? unknown(value);
  }
  const read = listReader(labelsByValue.keys());
  return (text) => {
    if (text === '') return '';
    const values = read(text);
    // Do not split an ambiguous list.
    if (values === undefined || values === 'several') return quoted(unknown(text));
    return values.map((value) => quoted(labelsByValue.get(value) ?? value)).join(', ');
  };
}

/** Like {@link optionLabels}, with one function per field, because most rows have the same fields. */
export function showValues(): (field: ExportedField) => (value: string) => string {
  const known = new WeakMap<ExportedField, (value: string) => string>();
  return (field) => {
    const show = known.get(field) ?? optionLabels(field);
    known.set(field, show);
    return show;
  };
}

/** Quotes an item as CSV does, if necessary. */
function quoted(item: string): string {
  return /[",]|^$|^\s|\s$/.test(item) ? `"${item.replaceAll('"', '""')}"` : item;
}
