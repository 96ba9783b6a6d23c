/** SQL for a `timestamptz` as the wire has it: ISO 8601 in UTC with all of its microseconds. */
export function isoTimestamp(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
