import type { FieldValue } from './value-entries.js';

/** Values that a submission may hold (V9). With as much text as it may hold, reading all of them takes the process 30 ms. */
export const MAX_VALUES = 10_000;

/** Bytes of text that all values of a submission may have together (V9). */
export const MAX_TEXT = 2 * 1024 * 1024;

/** How much is stored, or is to be stored. */
export interface StoredSize {
  readonly count: number;
  readonly bytes: number;
}

/** Control characters that JSON writes in six bytes. Others that it escapes, such as line breaks, take two. */
const CONTROLS = '\\x01-\\x07\\x0b\\x0e-\\x1f';
const CONTROL = new RegExp(`[${CONTROLS}]`, 'g');
const ESCAPE_BYTES = '\\u0001'.length - 1;

/** Bytes of UTF-8, and for a control character those that JSON needs for it. */
export function textBytes(value: string): number {
  return Buffer.byteLength(value) + ESCAPE_BYTES * (value.match(CONTROL)?.length ?? 0);
}

/** SQL for the same. */
export const TEXT_BYTES = `octet_length(value) + ${ESCAPE_BYTES} * (char_length(value) - char_length(regexp_replace(value, '[${CONTROLS}]', '', 'g')))`;

export function sizeOf(values: readonly FieldValue[]): StoredSize {
  return { count: values.length, bytes: values.reduce((sum, { value }) => sum + textBytes(value), 0) };
}
