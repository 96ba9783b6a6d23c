import type { PoolClient } from 'pg';
import { arrayOf } from './array-literal.js';
import { isCancelled, mayBeOneRowsFault, OverloadedError } from './database-errors.js';
import type { Shards } from './distribution/shards.js';
import type { Until } from './semaphore.js';
import { Semaphores } from './semaphores.js';
import type { Parameter, BatchedRow, BatchedStatement } from './statement.js';

/** How many requests share a statement at most, and with how many characters. */
const MAX_REQUESTS = 32;
const MAX_CHARACTERS = 16_384;
/** Milliseconds that a batch should take at most: after one that took longer the next ones are smaller, so that a slow database answers some in time. */
const SLOW = 200;
/** Milliseconds after which a batch is cancelled, and each of its requests executed alone. It leaves them time for that. */
const LONGEST_BATCH = 1_000;
/** While fewer requests are in flight, the next is executed at once; then to share a round trip is worth the wait for it. */
const FEW_IN_FLIGHT = 2;
/** The same where each takes two, and is shared only by those of one worker. */
const FEW_ON_SHARDS = 1;
/** Milliseconds that a request gathers others at most, and that one in flight holds up others. */
const MAX_WAIT = 5;

/** Runs statements on a connection, once there is one. */
export interface Connections {
  /** How many batches of one kind may be in flight, so that those which wait for a lock leave connections to all others. */
  readonly batchLimit: number;
  /** Where the tables are distributed: a statement whose first parameter is a UUID is for submissions of one worker. */
  readonly shards?: Shards | undefined;
  onConnection<T>(until: Until, work: (client: PoolClient) => Promise<T>): Promise<T>;
  /** The statement that the connection executes fails with SQLSTATE 57014, unless it ends before. */
  cancel(client: PoolClient): void;
  /** For requests that share a statement; `first` is the first parameter of one of them. */
  runBatch<Row>(
    client: PoolClient,
    statement: BatchedStatement<Row>,
    arrays: readonly string[],
    first: Parameter,
  ): Promise<BatchedRow<Row>[]>;
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

  constructor(readonly key: Parameter | undefined) {}

  isFull(maxRequests: number): boolean {
    return this.requests.length >= maxRequests || this.characters >= MAX_CHARACTERS;
  }

  add(request: Request<Row>): void {
    this.requests.push(request);
    for (const value of request.values) if (typeof value === 'string') this.characters += value.length;
  }

  /**
   * Rejects the requests that have waited for too long, or for `patience` milliseconds. Returns when the next one will have,
   * and undefined if no request is left.
   */
  rejectLate(patience = Infinity): number | undefined {
    const now = performance.now();
    const endOf = ({ since, until }: Request<Row>) => Math.min(until, since + patience);
    const late = this.requests.filter((request) => endOf(request) <= now);
    if (late.length > 0) this.requests = this.requests.filter((request) => endOf(request) > now);
    for (const { reject } of late) reject(new OverloadedError());
    return this.requests.length === 0 ? undefined : Math.min(...this.requests.map(endOf));
  }
}

/**
 * The requests for one statement. Those that come while others are in flight are executed together, in one round trip, one
 * snapshot and one commit, which cost more than what a request itself asks for (ADR 16). The result of a request is the
 * same as if it had come alone.
 */
export class StatementBatcher<Row> {
  private readonly gathering: Batch<Row>[] = [];
  private readonly inFlight: Batch<Row>[] = [];
  private readonly turns: Semaphores<Parameter | undefined>;
  private readonly waiting: { readonly batch: Batch<Row>; readonly start: () => void }[] = [];
  private maxRequests = MAX_REQUESTS;

  constructor(
    private readonly statement: BatchedStatement<Row>,
    private readonly connections: Connections,
  ) {
    this.turns = new Semaphores(connections.batchLimit);
  }

  /** The row that the statement gives for these values. The request waits for its connection until `until`, on the clock of `performance.now()`. */
  add(values: readonly Parameter[], until: number): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      const key = this.keyOf(values);
      const request = { values, since: performance.now(), until, resolve, reject };
      const gathering = this.gathering.find((one) => one.key === key);
      const batch = gathering ?? new Batch<Row>(key);
      batch.add(request);
      if (gathering === undefined) {
        this.gathering.push(batch);
        void this.execute(batch);
      }
      if (batch.isFull(this.maxRequests)) this.close(batch);
    });
  }

  /** The same for all whose statement is one. */
  private keyOf(values: readonly Parameter[]): Parameter | undefined {
    const { batchedBy, types } = this.statement;
    const key = batchedBy === undefined ? undefined : values[batchedBy];
    const { shards } = this.connections;
    if (shards === undefined || types[0] !== 'uuid') return key;
    const worker = shards.workerOf(values[0] as string);
    return key === undefined ? worker : `${worker} ${key}`;
  }

  private async execute(batch: Batch<Row>): Promise<void> {
    if (this.isWorthTheWait(batch)) await this.gathersOthers(batch);
    await this.run(batch);
  }

  private async run(batch: Batch<Row>): Promise<void> {
    const until = (patience: number) => this.rejectLate(batch, patience);
    try {
      const turn = this.turns.acquire(batch.key, until);
      if (turn !== undefined) await turn;
    } catch {
      // All of its requests have been rejected.
      return;
    }
    batch.startedAt = performance.now();
    this.inFlight.push(batch);
    let sentAt: number | undefined;
    let isDone = false;
    try {
      const rows = await this.connections.onConnection(until, (client) => {
        this.close(batch);
        batch.rejectLate();
        sentAt = performance.now();
        return this.rowsFor(batch.requests, client);
      });
      isDone = true;
      for (const [at, request] of batch.requests.entries()) request.resolve(rows[at]);
    } catch (error) {
      this.close(batch);
      this.fail(batch, error);
    } finally {
      // A batch that never had a connection tells nothing of how fast others are.
      if (sentAt !== undefined) this.adaptSize(batch.requests.length, performance.now() - sentAt, isDone);
      this.inFlight.splice(this.inFlight.indexOf(batch), 1);
      this.turns.release(batch.key);
      this.waiting.find((one) => !this.isWorthTheWait(one.batch))?.start();
    }
  }

  /** As {@link Batch.rejectLate}. A batch that has no request left takes no others. */
  private rejectLate(batch: Batch<Row>, patience: number): number | undefined {
    const next = batch.rejectLate(patience);
    if (batch.requests.length === 0) this.close(batch);
    return next;
  }

  private adaptSize(size: number, took: number, isDone: boolean): void {
    // A single request may be slow because it waits for a lock, which tells nothing of others.
    if (took > SLOW && size > 1) this.maxRequests = Math.max(1, Math.floor((size * SLOW) / took));
    else if (took <= SLOW && isDone && size === this.maxRequests)
      this.maxRequests = Math.min(MAX_REQUESTS, 2 * size);
  }

  private isWorthTheWait({ key }: Batch<Row>): boolean {
    const since = performance.now() - MAX_WAIT;
    let requests = 0;
    for (const one of this.inFlight)
      if (one.key === key && one.startedAt > since) requests += one.requests.length;
    return requests >= (this.connections.shards === undefined ? FEW_IN_FLIGHT : FEW_ON_SHARDS);
  }

  private gathersOthers(batch: Batch<Row>): Promise<void> {
    return new Promise((resolve) => {
      const start = () => {
        clearTimeout(timer);
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        resolve();
      };
      const waiting = { batch, start };
      const timer = setTimeout(start, MAX_WAIT);
      this.waiting.push(waiting);
    });
  }

  private close(batch: Batch<Row>): void {
    const at = this.gathering.indexOf(batch);
    if (at !== -1) this.gathering.splice(at, 1);
  }

  private async rowsFor(
    requests: readonly Request<Row>[],
    client: PoolClient,
  ): Promise<readonly (Row | undefined)[]> {
    if (requests.length === 0) return [];
    const values = requests.map((request) => request.values);
    const cancelling =
      requests.length > 1 ? setTimeout(() => this.connections.cancel(client), LONGEST_BATCH) : undefined;
    try {
      return await executeBatch(
        (statement, arrays) => this.connections.runBatch(client, statement, arrays, values[0]?.[0] ?? null),
        this.statement,
        values,
      );
    } finally {
      clearTimeout(cancelling);
    }
  }

  /** One request's fault is no other's: if nothing was done, each request is executed alone, in its own time. */
  private fail({ key, requests }: Batch<Row>, error: unknown): void {
    const mayBeDone = this.connections.shards !== undefined && isCancelled(error);
    const goOn = requests.length > 1 && mayBeOneRowsFault(error) && !mayBeDone;
    for (const request of requests) {
      if (!goOn) {
        request.reject(error);
        continue;
      }
      const alone = new Batch<Row>(key);
      alone.add(request);
      void this.run(alone);
    }
  }
}

/** The rows for requests that share a statement, in their order. */
export async function executeBatch<Row>(
  run: (statement: BatchedStatement<Row>, arrays: readonly string[]) => Promise<BatchedRow<Row>[]>,
  statement: BatchedStatement<Row>,
  requests: readonly (readonly Parameter[])[],
): Promise<readonly (Row | undefined)[]> {
  const arrays = statement.types.map((_, at) => arrayOf(requests.map((values) => values[at] as Parameter)));
  const rows: (Row | undefined)[] = [];
  for (const { position, row } of await run(statement, arrays)) rows[position - 1] = row;
  return rows;
}
