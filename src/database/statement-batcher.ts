import type { PoolClient } from 'pg';
import { mayBeRowError, OverloadedError } from './database-errors.js';
import type { Distribution } from './distribution.js';
import { type Deadline, KeyedSemaphore } from './semaphore.js';
import type { BatchedStatement, Parameter } from './statement.js';

/** A batch is full when it has this many requests, or when their texts have this many characters. */
const MAX_REQUESTS = 32;
const MAX_CHARACTERS = 16_384;
/**
 * Milliseconds. After a slower batch, the next batches are smaller, so that a slow database serves some requests
 * before their deadlines.
 */
const SLOW = 200;
/** Milliseconds. A slower batch is cancelled while its requests still have time to be executed alone. */
const LONGEST_BATCH = 1_000;
/**
 * The longest time in milliseconds that a batch waits for more requests. A batch that has been in flight for longer
 * makes no other batch wait.
 */
const MAX_WAIT = 5;

/** The parts of the database that a batcher uses. */
export interface BatchRunner {
  /** The maximum number of batches of one group in flight, so that batches that wait for a lock do not use all connections. */
  readonly maxBatches: number;
  readonly distribution: Pick<Distribution, 'fewInFlight' | 'serverOf'>;
  use<T>(until: Deadline, work: (client: PoolClient) => Promise<T>): Promise<T>;
  /** Cancels the statement that the connection executes. The statement fails with SQLSTATE 57014, unless it has ended before. */
  cancel(client: PoolClient): void;
  /** Returns the row of each request, in the order of the requests. */
  runBatch<Row>(
    client: PoolClient,
    statement: BatchedStatement<Row>,
    requests: readonly (readonly Parameter[])[],
  ): Promise<readonly (Row | undefined)[]>;
}

interface Request<Row> {
  readonly values: readonly Parameter[];
  readonly since: number;
  readonly until: number;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

class Batch<Row> {
  requests: Request<Row>[] = [];
  startedAt = Infinity;
  private characters = 0;

  constructor(readonly group: Parameter | undefined) {}

  isFull(maxRequests: number): boolean {
    return this.requests.length >= maxRequests || this.characters >= MAX_CHARACTERS;
  }

  add(request: Request<Row>): void {
    this.requests.push(request);
    for (const value of request.values) if (typeof value === 'string') this.characters += value.length;
  }

  /**
   * Rejects the requests whose own deadline has passed, or that have waited for `maxWait` milliseconds. Returns the time when the
   * next request must be rejected, or undefined if no request is left.
   */
  rejectLate(maxWait = Infinity): number | undefined {
    const now = performance.now();
    const endOf = ({ since, until }: Request<Row>) => Math.min(until, since + maxWait);
    const late = this.requests.filter((request) => endOf(request) <= now);
    if (late.length > 0) this.requests = this.requests.filter((request) => endOf(request) > now);
    for (const { reject } of late) reject(new OverloadedError());
    return this.requests.length === 0 ? undefined : Math.min(...this.requests.map(endOf));
  }
}

/**
 * Executes one statement for many requests (ADR 8). Requests that arrive while other requests are in flight gather in
 * a batch. A batch takes one round trip, one snapshot and one commit, which cost more than the work of a single
 * request. Each request gets the same result as if it were executed alone, and has its own deadline.
 *
 * A batch gathers requests, and waits for a permit and a connection. When the batch has the connection, it accepts no
 * more requests. If one of its requests makes the batch fail, each request is executed alone.
 */
export class StatementBatcher<Row> {
  /** Batches that still accept requests, one for each group. */
  private readonly open: Batch<Row>[] = [];
  /** The open batches that wait for more requests before they start. */
  private readonly gathering: { readonly batch: Batch<Row>; readonly start: () => void }[] = [];
  private readonly inFlight: Batch<Row>[] = [];
  private readonly permits: KeyedSemaphore<Parameter | undefined>;
  private maxRequests = MAX_REQUESTS;

  constructor(
    private readonly statement: BatchedStatement<Row>,
    private readonly runner: BatchRunner,
  ) {
    this.permits = new KeyedSemaphore(runner.maxBatches);
  }

  /** Returns the row for these values. The request waits for its connection until `until`, on the clock of `performance.now()`. */
  add(values: readonly Parameter[], until: number): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      const group = this.groupOf(values);
      const request = { values, since: performance.now(), until, resolve, reject };
      const opened = this.open.find((one) => one.group === group);
      const batch = opened ?? new Batch<Row>(group);
      batch.add(request);
      if (opened === undefined) {
        this.open.push(batch);
        void this.start(batch);
      }
      if (batch.isFull(this.maxRequests)) this.close(batch);
    });
  }

  /** Only requests of one group share a batch. */
  private groupOf(values: readonly Parameter[]): Parameter | undefined {
    const { batchedBy } = this.statement;
    const group = batchedBy === undefined ? undefined : values[batchedBy];
    const server = this.runner.distribution.serverOf(this.statement, values);
    return server === undefined ? group : `${server} ${group}`;
  }

  private async start(batch: Batch<Row>): Promise<void> {
    if (this.isWorthTheWait(batch)) await this.gatherRequests(batch);
    await this.run(batch);
  }

  private async run(batch: Batch<Row>): Promise<void> {
    const until = (maxWait: number) => this.rejectLate(batch, maxWait);
    try {
      const waiting = this.permits.acquire(batch.group, until);
      if (waiting !== undefined) await waiting;
    } catch {
      // All requests of the batch have been rejected.
      return;
    }
    batch.startedAt = performance.now();
    this.inFlight.push(batch);
    let sentAt: number | undefined;
    let isDone = false;
    try {
      const rows = await this.runner.use(until, (client) => {
        this.close(batch);
        batch.rejectLate();
        sentAt = performance.now();
        return this.execute(batch, client);
      });
      isDone = true;
      for (const [at, request] of batch.requests.entries()) request.resolve(rows[at]);
    } catch (error) {
      this.close(batch);
      this.fail(batch, error);
    } finally {
      // A batch that never got a connection does not show how fast the database is.
      if (sentAt !== undefined) this.adaptSize(batch.requests.length, performance.now() - sentAt, isDone);
      this.inFlight.splice(this.inFlight.indexOf(batch), 1);
      this.permits.release(batch.group);
      this.gathering.find((one) => !this.isWorthTheWait(one.batch))?.start();
    }
  }

  private async execute({ requests }: Batch<Row>, client: PoolClient): Promise<readonly (Row | undefined)[]> {
    if (requests.length === 0) return [];
    const values = requests.map((request) => request.values);
    if (requests.length === 1) return this.runner.runBatch(client, this.statement, values);
    const cancelling = setTimeout(() => this.runner.cancel(client), LONGEST_BATCH);
    try {
      return await this.runner.runBatch(client, this.statement, values);
    } finally {
      clearTimeout(cancelling);
    }
  }

  /**
   * Executes each request alone, within its own deadline, if one request may have made the batch fail and nothing was
   * written. Otherwise rejects all requests.
   */
  private fail({ group, requests }: Batch<Row>, error: unknown): void {
    const isRepeated = requests.length > 1 && mayBeRowError(error);
    for (const request of requests) {
      if (!isRepeated) {
        request.reject(error);
        continue;
      }
      const alone = new Batch<Row>(group);
      alone.add(request);
      void this.run(alone);
    }
  }

  private adaptSize(size: number, took: number, isDone: boolean): void {
    // A single slow request may have waited for a lock, so it does not show that the database is slow.
    if (took > SLOW && size > 1) this.maxRequests = Math.max(1, Math.floor((size * SLOW) / took));
    else if (took <= SLOW && isDone && size === this.maxRequests)
      this.maxRequests = Math.min(MAX_REQUESTS, 2 * size);
  }

  private isWorthTheWait({ group }: Batch<Row>): boolean {
    const since = performance.now() - MAX_WAIT;
    let requests = 0;
    for (const one of this.inFlight)
      if (one.group === group && one.startedAt > since) requests += one.requests.length;
    return requests >= this.runner.distribution.fewInFlight;
  }

  /** Resolves when few requests are in flight, or after MAX_WAIT. */
  private gatherRequests(batch: Batch<Row>): Promise<void> {
    return new Promise((resolve) => {
      const start = () => {
        clearTimeout(timer);
        this.gathering.splice(this.gathering.indexOf(gathering), 1);
        resolve();
      };
      const gathering = { batch, start };
      const timer = setTimeout(start, MAX_WAIT);
      this.gathering.push(gathering);
    });
  }

  /** Like {@link Batch.rejectLate}. Closes the batch if it has no request left. */
  private rejectLate(batch: Batch<Row>, maxWait: number): number | undefined {
    const next = batch.rejectLate(maxWait);
    if (batch.requests.length === 0) this.close(batch);
    return next;
  }

  private close(batch: Batch<Row>): void {
    const at = this.open.indexOf(batch);
    if (at !== -1) this.open.splice(at, 1);
  }
}
