/** An array as PostgreSQL reads it (its documentation, "Array Input and Output Syntax"), of what needs no quotes. */
export function arrayOf(values: readonly (number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join()}}`;
}

export function arrayOfTexts(values: readonly string[]): string {
  return `{${values.map(quoted).join()}}`;
}

function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`;
}
