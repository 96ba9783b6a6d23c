import { setTimeout as sleep } from 'node:timers/promises';

interface Options {
  readonly onError?: (error: unknown) => void;
  /** Milliseconds for which a value is fresh. Several measurements and several readers may share one value. */
  readonly freshFor?: number;
  /** Milliseconds after which a scrape no longer waits for the query. */
  readonly deadline?: number;
  /** Whether the last value stays valid while the query fails. */
  readonly keepsLast?: boolean;
}

/** A value from the database for scrapes. Runs one query at a time, at most every few seconds. */
export class CachedReading<Value> {
  private latest: Value | undefined;
  private freshUntil = -Infinity;
  private reading: Promise<void> | undefined;

  /** @param query resolves to undefined if there is no value */
  constructor(
    private readonly query: () => Promise<Value | undefined>,
    private readonly options: Options = {},
  ) {}

  /**
   * Returns undefined if there is no value, or if the query fails or misses the deadline. With `keepsLast`, returns
   * the last value instead.
   */
  async read(): Promise<Value | undefined> {
    if (performance.now() < this.freshUntil) return this.latest;
    if (this.options.keepsLast !== true) this.latest = undefined;
    const late = new AbortController();
    const timer = sleep(this.options.deadline ?? 1_000, undefined, { signal: late.signal, ref: false });
    this.reading ??= this.refresh();
    await Promise.race([this.reading, timer.catch(() => undefined)]);
    late.abort();
    return this.latest;
  }

  private async refresh(): Promise<void> {
    const { onError, freshFor = 5_000, keepsLast } = this.options;
    try {
      this.latest = await this.query();
    } catch (error) {
      onError?.(error);
    }
    this.reading = undefined;
    if (keepsLast !== true || this.latest !== undefined) this.freshUntil = performance.now() + freshFor;
  }
}
