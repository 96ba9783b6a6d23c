import type { Parameter } from './statement.js';

/** Returns PostgreSQL's text for an array (see "Array Input and Output Syntax" in PostgreSQL's documentation). */
export function arrayLiteral(values: readonly Parameter[]): string {
  return `{${values.map((value) => (typeof value === 'string' ? quoted(value) : (value ?? 'null'))).join()}}`;
}

function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`;
}
