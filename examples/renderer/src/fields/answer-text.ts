import type { Field } from 'formtrail-client';

/** A value as the person chose it: by the labels of its options. */
export function answerText({ field_type, options }: Field, value: string): string {
  const labelOf = (optionValue: string) =>
    options.find((option) => option.value === optionValue)?.label ?? optionValue;
  if (field_type.component !== 'checkbox-input') return options.length > 0 ? labelOf(value) : value;
  return options.length > 0 ? checkedValues(value).map(labelOf).join(', ') : isChecked(value) ? 'Yes' : 'No';
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
