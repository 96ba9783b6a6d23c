import type { Field, SubmissionFile } from 'formtrail-client';

/** Uses the browser's locale. Formats in UTC, because a value has no time zone and must not shift to another day. */
const LONG_DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' });

/**
 * A value as text for people: the labels of the chosen options, a date in the browser's locale, the name of a file.
 */
export function answerText({ field_type, options }: Field, value: string, file?: SubmissionFile): string {
  const labelOf = (optionValue: string) =>
    options.find((option) => option.value === optionValue)?.label ?? optionValue;
  const { component } = field_type;
  if (component === 'file-input') return file?.name ?? (value.startsWith('file:') ? 'A file' : value);
  if (component === 'date-input') return isDate(value) ? LONG_DATE.format(new Date(value)) : value;
  if (component !== 'checkbox-input') return labelOf(value);
  if (options.length === 0) return isChecked(value) ? 'Yes' : 'No';
  return checkedValues(value).map(labelOf).join(', ');
}

/** Values of a checkbox group: separated by commas, with or without white space. */
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
