// The database accepts only the years 1 to 9999, which ISO 8601 writes with four digits, and `infinity` in columns that say when something
// ends.

/** Returns SQL for a `timestamptz` in the format of the API: ISO 8601 in UTC, with microseconds. */
export function isoTimestampSql(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Returns SQL for a `timestamptz` in ISO 8601 without fractions of a second, for people. */
export function isoToTheSecondSql(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

/**
 * Returns SQL for a `timestamptz` as microseconds since 1970. The SQL is immutable, unlike `to_char` and the
 * arithmetic of `timestamptz`.
 */
export function microsecondsSql(column: string): string {
  return `(extract(epoch from ${column} at time zone 'UTC') * 1000000)::bigint`;
}

/**
 * Returns SQL for the current time, or for one microsecond after the column's time if that is later. If the column has
 * the last day that can be stored, the result is the current time.
 */
export function laterThanSql(column: string): string {
  return `greatest(statement_timestamp(),
            ((case when ${column} < '9999-12-31 00:00:00+00' then ${column} end) at time zone 'UTC'
              + interval '1 microsecond') at time zone 'UTC')`;
}

let latestSecond = NaN;
/** `latestSecond` in the format of the API, up to the decimal point. */
let latestText = '';

/**
 * Formats microseconds since 1970 for the API, for the years 1 to 9999. Most timestamps are in the same second as the previous one,
 * so the text of that second is cached.
 */
export function isoOf(microseconds: string): string {
  const total = Number(microseconds);
  // A safe integer can represent the years 1684 to 2255.
  if (!Number.isSafeInteger(total)) return exactIsoOf(BigInt(microseconds));
  const second = Math.floor(total / 1_000_000);
  if (second !== latestSecond) {
    latestSecond = second;
    latestText = new Date(second * 1_000).toISOString().slice(0, -'000Z'.length);
  }
  return `${latestText}${String(total - second * 1_000_000).padStart(6, '0')}Z`;
}

function exactIsoOf(microseconds: bigint): string {
  const ofSecond = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const second = new Date(Number((microseconds - ofSecond) / 1_000n)).toISOString();
  return `${second.slice(0, -'000Z'.length)}${String(ofSecond).padStart(6, '0')}Z`;
}

/** The inverse of {@link isoOf}. Returns undefined for texts that `isoOf` does not return. */
export function microsecondsOf(iso: string): string | undefined {
  const milliseconds = Date.parse(`${iso.slice(0, -4)}Z`);
  const rest = iso.slice(-4, -1);
  if (
    iso.length !== '0001-01-01T00:00:00.000000Z'.length ||
    Number.isNaN(milliseconds) ||
    !/^\d{3}$/.test(rest)
  )
    return undefined;
  const found = String(BigInt(milliseconds) * 1_000n + BigInt(rest));
  return isoOf(found) === iso ? found : undefined;
}
