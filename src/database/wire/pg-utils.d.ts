declare module 'pg/lib/utils.js' {
  /** Converts a value to the text or the bytes that pg sends to PostgreSQL. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
