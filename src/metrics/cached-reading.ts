import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds: a scrape asks for several metrics of one reading, and there may be several who scrape. */
const KEPT_FOR = 5_000;
/** Milliseconds that a scrape waits for the database. */
const DEADLINE = 1_000;

/**
 * What the database says, asked for once whatever the number of scrapes. Where it does not say it in time there is no
 * reading, so that a scrape responds while the database is away, and never tells what was so before.
 */
export class CachedReading<Row> {
  private reading: Promise<Row | undefined> | undefined;
  private keptUntil = -Infinity;

  /** @param query no row means that there is nothing to tell */
  constructor(
    private readonly query: () => Promise<Row | undefined>,
    private readonly onError: (error: unknown) => void = () => undefined,
    private readonly keptFor = KEPT_FOR,
    private readonly deadline = DEADLINE,
  ) {}

  async read(): Promise<Row | undefined> {
    if (performance.now() >= this.keptUntil) this.reading = undefined;
    this.reading ??= this.ask();
    const late = new AbortController();
    try {
      const timer = sleep(this.deadline, undefined, { signal: late.signal, ref: false });
      return await Promise.race([this.reading, timer.catch(() => undefined)]);
    } finally {
      late.abort();
    }
  }

  private async ask(): Promise<Row | undefined> {
    // Until there is a result, nobody asks again.
    this.keptUntil = Infinity;
    try {
      return await this.query();
    } catch (error) {
      this.onError(error);
      return undefined;
    } finally {
      this.keptUntil = performance.now() + this.keptFor;
    }
  }
}
