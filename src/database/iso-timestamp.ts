/** SQL for a `timestamptz` as the wire has it: ISO 8601 in UTC with all of its microseconds. */
export function isoTimestamp(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** SQL for the same to the second, as people read it. */
export function isoToTheSecond(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

/**
 * SQL for the same as microseconds since 1970. It is immutable, which `to_char` and the arithmetic of `timestamptz` are not,
 * so that Citus takes it wherever a statement writes.
 */
export function microseconds(column: string): string {
  return `(extract(epoch from ${column} at time zone 'UTC') * 1000000)::bigint`;
}

let latestSecond = NaN;
/** As the wire has it, up to the point. */
let latestText = '';

/** Microseconds since 1970, of the years from 1684 to 2255, as the wire has them. What is written now is of the same second. */
export function isoOf(microseconds: string): string {
  const total = Number(microseconds);
  const second = Math.floor(total / 1_000_000);
  if (second !== latestSecond) {
    latestSecond = second;
    latestText = new Date(second * 1_000).toISOString().slice(0, -'000Z'.length);
  }
  return `${latestText}${String(total - second * 1_000_000).padStart(6, '0')}Z`;
}

/** The other way round; undefined for what the wire never has. */
export function microsecondsOf(iso: string): string | undefined {
  const milliseconds = Date.parse(`${iso.slice(0, -4)}Z`);
  const found = String(milliseconds * 1_000 + Number(iso.slice(-4, -1)));
  return Number.isFinite(milliseconds) && /^-?\d+$/.test(found) && isoOf(found) === iso ? found : undefined;
}
