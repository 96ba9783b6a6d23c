import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { tokenUnverifiableProblem } from '../../http/errors/problems.js';

/** All constants are in milliseconds. Keys of this age are fetched again before they are used. */
const MAX_AGE = 600_000;
/** If the provider is away, older keys work until this age. */
const MAX_STALE_AGE = 86_400_000;
/** An unknown key id causes at most one fetch in this time. */
const SEARCH_INTERVAL = 30_000;
/** After a failed fetch, requests cause no other fetch for this time. */
const RETRY_INTERVAL = 5_000;
/** The time that a request waits for new keys before it uses older keys. */
const PATIENCE = 1_000;
/** While fetches fail, the failure is reported again after this time. */
const REPORT_INTERVAL = 600_000;

interface KnownKeys {
  readonly find: JWTVerifyGetKey;
  readonly count: number;
  readonly fetchedAt: number;
}

interface Report {
  /** `timeLeft` is the time in milliseconds until the older keys end, 0 if there are none. */
  failed(reason: string, timeLeft: number): void;
  recovered(): void;
}

/**
 * The keys of one issuer (A9). `createRemoteJWKSet` of jose is not used: it has no keys while the provider is away, repeats a
 * failed fetch with every request, and rejects a new key for 30 seconds after each fetch.
 */
export class KeySet {
  private known: KnownKeys | undefined;
  private fetching: Promise<void> | undefined;
  private failedAt = -Infinity;
  private searchedAt = -Infinity;
  /** Undefined while fetches succeed. */
  private reportedAt: number | undefined;
  private readonly startedAt: number;

  constructor(
    private readonly fetchKeys: () => Promise<JSONWebKeySet>,
    private readonly report: Report,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.startedAt = now();
  }

  /** The number of keys that verify tokens, and the seconds since the last successful fetch, or since the start without one. */
  get state(): { count: number; age: number } {
    const { known } = this;
    const isOver = this.ageOf(known) >= MAX_STALE_AGE;
    return {
      count: known === undefined || isOver ? 0 : known.count,
      age: (this.now() - (known?.fetchedAt ?? this.startedAt)) / 1000,
    };
  }

  /**
   * Resolves when there are keys to verify a token with. Requests wait here before they are counted, so that a slow provider does
   * not delay other requests of their address.
   *
   * @throws Problem if there are no keys, or only keys that are older than a day
   */
  async ready(): Promise<void> {
    if (this.ageOf(this.known) < MAX_AGE) return;
    const mayFetch = this.now() - this.failedAt >= RETRY_INTERVAL;
    const fetching = this.fetching ?? (mayFetch ? this.fetch() : undefined);
    await (this.ageOf(this.known) < MAX_STALE_AGE ? withPatience(fetching) : fetching);
    if (this.ageOf(this.known) >= MAX_STALE_AGE) throw tokenUnverifiableProblem();
  }

  /** Finds the key of a token, and fetches the keys again if its key is unknown. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const { known } = this;
    if (known === undefined) throw tokenUnverifiableProblem();
    try {
      return await known.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.search();
      if (this.known === undefined || this.known === known) throw error;
      return this.known.find(header, token);
    }
  };

  private async search(): Promise<void> {
    const now = this.now();
    if (this.fetching === undefined && now - this.searchedAt >= SEARCH_INTERVAL) {
      this.searchedAt = now;
      void this.fetch();
    }
    await this.fetching;
  }

  /** Never rejects. */
  private fetch(): Promise<void> {
    this.fetching = this.fetchKeys()
      .then((keys) => {
        this.known = { find: createLocalJWKSet(keys), count: keys.keys.length, fetchedAt: this.now() };
        if (this.reportedAt !== undefined) this.report.recovered();
        this.reportedAt = undefined;
      })
      .catch((error: unknown) => {
        this.failedAt = this.now();
        if (this.failedAt - (this.reportedAt ?? -Infinity) < REPORT_INTERVAL) return;
        this.reportedAt = this.failedAt;
        const timeLeft = Math.max(0, MAX_STALE_AGE - this.ageOf(this.known));
        this.report.failed((error as Error).message, timeLeft);
      })
      .finally(() => {
        this.fetching = undefined;
      });
    return this.fetching;
  }

  private ageOf(known: KnownKeys | undefined): number {
    return known === undefined ? Infinity : this.now() - known.fetchedAt;
  }
}

/** Resolves with `work`, or after PATIENCE. */
async function withPatience(work: Promise<void> | undefined): Promise<void> {
  if (work === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE);
  });
  await Promise.race([work, elapsed]);
  clearTimeout(timer);
}
