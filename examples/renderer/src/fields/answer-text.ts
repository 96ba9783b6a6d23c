import type { Field, SubmissionFile } from 'formtrail-client';

/** `undefined` is the reader's own locale. A value has no time zone: in UTC it stays the day that it is. */
const LONG_DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' });

/**
 * A value as the person chose it: by the labels of its options, a date as it is written where the reader is at home, a file by
 * its name.
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

/** Of a checkbox with options: values separated by commas, and white space does not count. */
export function checkedValues(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Of a checkbox without: another program may have stored it in any of the ways that strict completion takes. */
export function isChecked(value: string): boolean {
  return /^(true|yes|on|1)$/i.test(value);
}

/** A day that a date input can show. */
export function isDate(value: string): boolean {
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === value;
}
