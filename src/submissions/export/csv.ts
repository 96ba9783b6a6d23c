const LINE_END = '\r\n';
const NEEDS_QUOTES = /[",\r\n]/;
/** What a spreadsheet takes for a formula, whatever white space is before it; full-width signs too. */
const LOOKS_LIKE_FORMULA = /^\s*[=+\-@＝＋－＠]/;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** One record of RFC 4180. */
export function csvRecord(cells: readonly string[]): string {
  return cells.map(csvCell).join(',') + LINE_END;
}

/** What could be taken for a formula gets an apostrophe in front, numbers with a sign excepted. */
function csvCell(text: string): string {
  const safe = LOOKS_LIKE_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
