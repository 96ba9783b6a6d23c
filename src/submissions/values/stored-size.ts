import type { FieldValue } from './value-entries.js';

/**
 * Maximum values of a submission (V9). Reading this many values with {@link MAX_TEXT} bytes takes 30 ms of CPU time.
 */
export const MAX_VALUES = 10_000;

/** Maximum bytes of all values of a submission together (V9). */
export const MAX_TEXT = 2 * 1024 * 1024;

/** The number and the bytes of values that are stored or will be stored. */
export interface StoredSize {
  readonly count: number;
  readonly bytes: number;
}

/** Control characters that JSON writes in six bytes. JSON writes other escapes, such as line breaks, in two bytes. */
const CONTROLS = '\\x01-\\x07\\x0b\\x0e-\\x1f';
const CONTROL = new RegExp(`[${CONTROLS}]`, 'g');
const ESCAPE_BYTES = '\\u0001'.length - 1;

/** Bytes of a text in UTF-8. A control character counts as six bytes, because JSON needs six. */
export function textBytes(value: string): number {
  return Buffer.byteLength(value) + ESCAPE_BYTES * (value.match(CONTROL)?.length ?? 0);
}

/** SQL for {@link textBytes}. */
export const TEXT_BYTES = `octet_length(value) + ${ESCAPE_BYTES} * (char_length(value) - char_length(regexp_replace(value, '[${CONTROLS}]', '', 'g')))`;

export function sizeOf(values: readonly FieldValue[]): StoredSize {
  return { count: values.length, bytes: values.reduce((sum, { value }) => sum + textBytes(value), 0) };
}
