/** SQL for the time after which no token of a respondent is valid (P4). */
export const LATEST_EXPIRY = `respondents.created_at + interval '180 days'`;

/** SQL for the time when a token expires that is issued or used now. `seconds` is SQL for its lifetime. */
export const expirySql = (seconds: string) =>
  `least(now() + make_interval(secs => ${seconds}), ${LATEST_EXPIRY})`;

const DAY = 24 * 60 * 60;

export interface RenewalPolicy {
  /** The lifetime of a token after its last use, in seconds. */
  readonly seconds: number;
  /** A token is extended if it is used while it has at most this many seconds left. */
  readonly left: number;
}

/** A token is extended at most once a day, or twice in its lifetime if that is a day (P4). */
export function renewalPolicyOf(ttlDays: number): RenewalPolicy {
  const seconds = ttlDays * DAY;
  return { seconds, left: seconds - Math.min(DAY, seconds / 2) };
}
