/**
 * SQL for a timestamp that ISO 8601 can write with a year of four digits: the nearest one. The database refuses any other,
 * such as infinity, unless somebody has taken its checks away. Null stays null.
 */
export function writable(timestamp: string): string {
  return `(case when ${timestamp} < '0001-01-01 00:00:00+00' then timestamptz '0001-01-01 00:00:00+00'
    when ${timestamp} > '9999-12-31 23:59:59.999999+00' then timestamptz '9999-12-31 23:59:59.999999+00'
    else ${timestamp} end)`;
}

/** SQL for a `timestamptz` as the wire has it: ISO 8601 in UTC with all of its microseconds. */
export function isoTimestamp(column: string): string {
  return `to_char(${writable(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** SQL for the same to the second, as people read it. */
export function isoToTheSecond(column: string): string {
  return `to_char(${writable(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

/** SQL for the same as microseconds since 1970. It is immutable, unlike `to_char` and the arithmetic of `timestamptz`. */
export function microseconds(column: string): string {
  return `(extract(epoch from ${writable(column)} at time zone 'UTC') * 1000000)::bigint`;
}

/**
 * SQL for now, or for a microsecond after the column if the clock stands still. After the last day that can be stored it starts
 * again with the clock.
 */
export function laterThan(column: string): string {
  return `greatest(statement_timestamp(),
            ((case when ${column} < '9999-12-31 00:00:00+00' then ${column} end) at time zone 'UTC'
              + interval '1 microsecond') at time zone 'UTC')`;
}

let latestSecond = NaN;
/** As the wire has it, up to the point. */
let latestText = '';

/** Microseconds since 1970, of the years 1 to 9999, as the wire has them. Most are of the second that was formatted last. */
export function isoOf(microseconds: string): string {
  const total = Number(microseconds);
  // Exact for the years 1684 to 2255.
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

/** The other way round; undefined for what the wire never has. */
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
