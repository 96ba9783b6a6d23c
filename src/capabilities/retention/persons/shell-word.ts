/** Quotes a word of a command for a shell, if necessary. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll(`'`, `'\\''`)}'`;
