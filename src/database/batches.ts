import type { PoolClient } from 'pg';
import { arrayOf } from './array-literal.js';
import { isDataOrConstraintError, isNotSupported, OverloadedError } from './database-errors.js';
import type { Shards } from './distribution/shards.js';
import { Semaphores } from './semaphores.js';
import type { Parameter, SharedRow, SharedStatement } from './statement.js';

/** How many requests share a statement at most, and with how many characters. */
const MAX_REQUESTS = 32;
const MAX_CHARACTERS = 16_384;
/** Milliseconds that a batch should take at most: after one that took longer the next ones are smaller, so that a slow database answers some in time. */
const SLOW = 200;
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
  onConnection<T>(until: number, work: (client: PoolClient) => Promise<T>): Promise<T>;
  /** For requests that share a statement; `first` is the first parameter of one of them. */
  runShared<Row>(
    client: PoolClient,
    statement: SharedStatement<Row>,
    arrays: readonly string[],
    first: Parameter,
  ): Promise<SharedRow<Row>[]>;
}

interface Request<Row> {
  readonly values: readonly Parameter[];
  readonly until: number;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

class Batch<Row> {
  readonly requests: Request<Row>[] = [];
  startedAt = Infinity;
  private characters = 0;

  /** `until` is how long the request that opened it may wait. */
  constructor(
    readonly key: Parameter | undefined,
    readonly until: number,
  ) {}

  isFull(maxRequests: number): boolean {
    return this.requests.length >= maxRequests || this.characters >= MAX_CHARACTERS;
  }

  add(request: Request<Row>): void {
    this.requests.push(request);
    for (const value of request.values) if (typeof value === 'string') this.characters += value.length;
  }
}

/**
 * The requests for one statement. Those that come while others are in flight are executed together, in one round trip, one
 * snapshot and one commit, which cost more than what a request itself asks for (ADR 16). The result of a request is the
 * same as if it had come alone.
 */
export class Batches<Row> {
  private readonly gathering: Batch<Row>[] = [];
  private readonly inFlight: Batch<Row>[] = [];
  private readonly turns: Semaphores<Parameter | undefined>;
  private readonly waiting: { readonly batch: Batch<Row>; readonly start: () => void }[] = [];
  private maxRequests = MAX_REQUESTS;

  constructor(
    private readonly statement: SharedStatement<Row>,
    private readonly connections: Connections,
  ) {
    this.turns = new Semaphores(connections.batchLimit);
  }

  /** The row that the statement gives for these values. It waits for its connection until then, on the clock of `performance.now()`. */
  add(values: readonly Parameter[], until: number): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      const key = this.keyOf(values);
      const request = { values, until, resolve, reject };
      const gathering = this.gathering.find((one) => one.key === key);
      const batch = gathering ?? new Batch<Row>(key, until);
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
    const { sharedBy, types } = this.statement;
    const key = sharedBy === undefined ? undefined : values[sharedBy];
    const { shards } = this.connections;
    if (shards === undefined || types[0] !== 'uuid') return key;
    const worker = shards.workerOf(values[0] as string);
    return key === undefined ? worker : `${worker} ${key}`;
  }

  private async execute(batch: Batch<Row>): Promise<void> {
    if (this.isWorthTheWait(batch)) await this.gathersOthers(batch);
    try {
      const turn = this.turns.acquire(batch.key, batch.until);
      if (turn !== undefined) await turn;
    } catch (error) {
      this.close(batch);
      this.fail(batch.requests, error);
      return;
    }
    batch.startedAt = performance.now();
    this.inFlight.push(batch);
    let requests: readonly Request<Row>[] = batch.requests;
    let sentAt = Infinity;
    try {
      const rows = await this.connections.onConnection(batch.until, (client) => {
        this.close(batch);
        requests = inTime(batch.requests);
        sentAt = performance.now();
        return this.rowsFor(requests, client);
      });
      for (const [at, request] of requests.entries()) request.resolve(rows[at]);
    } catch (error) {
      this.close(batch);
      this.fail(requests, error);
    } finally {
      this.adaptSize(requests.length, performance.now() - sentAt);
      this.inFlight.splice(this.inFlight.indexOf(batch), 1);
      this.turns.release(batch.key);
      this.waiting.find((one) => !this.isWorthTheWait(one.batch))?.start();
    }
  }

  private adaptSize(size: number, took: number): void {
    // What is slow alone may wait for a lock, and tells nothing of others.
    if (took > SLOW && size > 1) this.maxRequests = Math.max(1, Math.floor((size * SLOW) / took));
    else if (took <= SLOW && size === this.maxRequests) this.maxRequests = Math.min(MAX_REQUESTS, 2 * size);
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
    return executeShared(
      (statement, arrays) => this.connections.runShared(client, statement, arrays, values[0]?.[0] ?? null),
      this.statement,
      values,
    );
  }

  /** One request's fault is no other's, nor that of all that a shard of Citus has been moved meanwhile. */
  private fail(requests: readonly Request<Row>[], error: unknown): void {
    for (const request of requests) {
      if (requests.length > 1 && (isDataOrConstraintError(error) || isNotSupported(error)))
        void this.executeAlone(request);
      else request.reject(error);
    }
  }

  private async executeAlone(request: Request<Row>): Promise<void> {
    try {
      const [row] = await this.connections.onConnection(request.until, (client) =>
        this.rowsFor([request], client),
      );
      request.resolve(row);
    } catch (error) {
      request.reject(error);
    }
  }
}

/** The rows for requests that share a statement, in their order. */
export async function executeShared<Row>(
  run: (statement: SharedStatement<Row>, arrays: readonly string[]) => Promise<SharedRow<Row>[]>,
  statement: SharedStatement<Row>,
  requests: readonly (readonly Parameter[])[],
): Promise<readonly (Row | undefined)[]> {
  const arrays = statement.types.map((_, at) => arrayOf(requests.map((values) => values[at] as Parameter)));
  const rows: (Row | undefined)[] = [];
  for (const { position, row } of await run(statement, arrays)) rows[position - 1] = row;
  return rows;
}

/** Without those that have waited for too long, who are told so. */
function inTime<Row>(requests: readonly Request<Row>[]): Request<Row>[] {
  const now = performance.now();
  for (const { until, reject } of requests) if (until < now) reject(new OverloadedError());
  return requests.filter(({ until }) => until >= now);
}
