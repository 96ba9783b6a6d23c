import type { Field, SubmissionFile } from 'formtrail-client';
import type { Words } from './words.js';

/** A value as text for people: labels of the chosen options, a date in the language of the page, the name of a file. */
export function answerText(
  { field_type, options }: Field,
  value: string,
  file: SubmissionFile | undefined,
  { text, dateText }: Words,
): string {
  const labelOf = (chosen: string) => options.find((option) => option.value === chosen)?.label ?? chosen;
  const { component } = field_type;
  if (component === 'file-input')
    return file?.name ?? (value.startsWith('file:') ? text.fileWithoutName : value);
  if (component === 'date-input') return isDate(value) ? dateText(value) : value;
  if (component !== 'checkbox-input') return labelOf(value);
  if (options.length === 0) return isChecked(value) ? text.yes : text.no;
  return checkedValues(value).map(labelOf).join(', ');
}

/** Values of a group of checkboxes: separated by commas, with or without white space. */
export function checkedValues(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Whether a single checkbox is ticked. Accepts every spelling that strict completion accepts, because another program may have stored it. */
export function isChecked(value: string): boolean {
  return /^(true|yes|on|1)$/i.test(value);
}

/** Whether the value is an existing date that a date input can show. */
export function isDate(value: string): boolean {
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === value;
}
