import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import { arrayLiteral } from './array-literal.js';
import { type Arrival, deadlineOf } from './connection.js';
import { ConnectionPool } from './connection-pool.js';
import { isConnectionBroken } from './database-errors.js';
import { type Distribution, findDistribution, ONE_SERVER } from './distribution.js';
import { isRowLocked, isWorthAnotherAttempt, retryUntil } from './retry-until.js';
import { KeyedSemaphore } from './semaphore.js';
import type { BatchedStatement, Executor, Parameter, Statement } from './statement.js';
import { type BatchRunner, StatementBatcher } from './statement-batcher.js';
import type { StatementTimes } from './statement-times.js';
import { poolOf } from './wire/pool-of.js';
import { runStatement } from './wire/prepared-query.js';

/**
 * If the network breaks, PostgreSQL does not notice and keeps the locks of a transaction for hours. This setting ends transactions
 * that are idle for 5 seconds. Their requests have failed by then.
 */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = '5s'`;

/**
 * Executes hand-written statements on TypeORM's own pool of connections. Statements are prepared, unless there is a
 * pooler. A pooler may execute a statement on a connection that has not prepared it.
 */
@Injectable()
export class Database implements Executor, OnModuleInit, OnModuleDestroy {
  readonly holdsConnection = false;
  private readonly pool: ConnectionPool;
  private readonly batchers = new Map<object, StatementBatcher<unknown>>();
  private readonly batchRunner: BatchRunner;
  private readonly rows = new KeyedSemaphore<string>(1, 'row');
  private readonly isPrepared: boolean;
  private distribution: Distribution = ONE_SERVER;
  /** Undefined if nobody measures statements. */
  times: StatementTimes | undefined;
  /**
   * Maximum number of connections that batches of one group, or transactions, may use while they wait for a lock: half
   * of all.
   */
  private readonly maxWaiting: number;
  private waitingTransactions = 0;

  constructor(
    private readonly dataSource: DataSource,
    environment: Environment,
  ) {
    this.isPrepared = environment.databaseDirectUrl === undefined;
    const pool = poolOf(dataSource);
    this.pool = new ConnectionPool(pool);
    this.maxWaiting = Math.ceil(pool.options.max / 2);
    const distribution = () => this.distribution;
    this.batchRunner = {
      maxBatches: this.maxWaiting,
      get distribution() {
        return distribution();
      },
      use: (until, work) => this.pool.use(until, work),
      cancel: (client) => this.pool.cancel(client),
      runBatch: (client, statement, requests) => this.runBatch(client, statement, requests),
    };
  }

  /**
   * The number of connections in use, the number of idle connections, the maximum of their sum, and the number of
   * waiting callers.
   */
  get connections() {
    return this.pool.usage;
  }

  /** False if the tables of submissions are distributed over several servers, which have no triggers. */
  get isOneServer(): boolean {
    return this.distribution.name === undefined;
  }

  async onModuleInit(): Promise<void> {
    this.distribution = await findDistribution(this.dataSource);
  }

  onModuleDestroy(): void {
    this.distribution.close();
    this.pool.close();
  }

  /** Returns the UUID for a new submission. */
  newUuid(): string {
    return this.distribution.newUuid();
  }

  query<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return this.forRequest(arrivedNow()).query(statement, values);
  }

  batch<Row>(statement: BatchedStatement<Row>, values: readonly Parameter[]): Promise<Row | undefined> {
    return this.forRequest(arrivedNow()).batch(statement, values);
  }

  retryWhileLocked<T>(row: string | undefined, work: (executor: Executor) => Promise<T>): Promise<T> {
    return this.forRequest(arrivedNow()).retryWhileLocked(row, work);
  }

  transaction<T>(work: (executor: Executor) => Promise<T>, row?: string): Promise<T> {
    return this.forRequest(arrivedNow()).transaction(work, row);
  }

  /** Returns an executor for all that a request does. All its work together waits no longer than one request may wait. */
  forRequest(request: Arrival): Executor {
    const until = deadlineOf(request);
    const query: Executor['query'] = (statement, values = []) =>
      this.pool.use(until, (client) => this.run(client, statement, values));
    const batch: Executor['batch'] = (statement, values) => this.batcherOf(statement).add(values, until);
    // In work that is retried as a whole, nothing waits for the row or is retried by itself.
    const ofAttempt: Executor = {
      ...{ holdsConnection: false, query, batch },
      retryWhileLocked: (_, work) => work(ofAttempt),
      transaction: (work) => this.transact(until, work),
    };
    const retry: Executor['retryWhileLocked'] = (row, work) =>
      this.serialize(row, until, () => retryUntil(until, () => work(ofAttempt), isWorthAnotherAttempt));
    return {
      ...{ holdsConnection: false, query, batch },
      retryWhileLocked: retry,
      transaction: (work, row) => retry(row, (attempt) => attempt.transaction(work)),
    };
  }

  private transact<T>(until: number, work: (executor: Executor) => Promise<T>): Promise<T> {
    return this.pool.use(until, async (client) => {
      try {
        await client.query(BEGIN);
        const result = await work(this.inTransaction(client, until));
        await client.query('commit');
        return result;
      } catch (cause) {
        const error = this.distribution.toDatabaseError(cause);
        // The pool closes a broken connection, and PostgreSQL then rolls back. On a lost connection, a rollback
        // would fail too.
        if (!isConnectionBroken(error)) await client.query('rollback');
        throw error;
      }
    });
  }

  private inTransaction(client: PoolClient, until: number): Executor {
    const executor: Executor = {
      holdsConnection: true,
      query: (statement, values = []) => this.run(client, statement, values),
      transaction: (work) => work(executor),
      batch: async (statement, values) => (await this.runBatch(client, statement, [values]))[0],
      retryWhileLocked: async (_, work) => {
        try {
          return await work(executor);
        } catch (error) {
          // Up to `maxWaiting` transactions keep their connection, and the lock on their idempotency key, while they wait.
          if (!isRowLocked(error) || this.waitingTransactions >= this.maxWaiting) throw error;
        }
        this.waitingTransactions += 1;
        try {
          return await retryUntil(until, () => work(executor), isRowLocked);
        } finally {
          this.waitingTransactions -= 1;
        }
      },
    };
    return executor;
  }

  private run<Row>(
    client: PoolClient,
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.distribution.execute(statement, values, (statement, values) =>
      runStatement(client, statement, values, this.isPrepared, this.times),
    );
  }

  private async runBatch<Row>(
    client: PoolClient,
    statement: BatchedStatement<Row>,
    requests: readonly (readonly Parameter[])[],
  ): Promise<readonly (Row | undefined)[]> {
    const arrays = statement.types.map((_, at) =>
      arrayLiteral(requests.map((values) => values[at] as Parameter)),
    );
    const found = await this.run(client, statement, arrays);
    const rows: (Row | undefined)[] = [];
    for (const { position, row } of found) rows[position - 1] = row;
    return rows;
  }

  /** Serializes work on the same row. Waiting work uses no connection yet. */
  private async serialize<T>(row: string | undefined, until: number, work: () => Promise<T>): Promise<T> {
    if (row === undefined) return work();
    const waiting = this.rows.acquire(row, until);
    if (waiting !== undefined) await waiting;
    try {
      return await work();
    } finally {
      this.rows.release(row);
    }
  }

  private batcherOf<Row>(statement: BatchedStatement<Row>): StatementBatcher<Row> {
    let batcher = this.batchers.get(statement);
    if (batcher === undefined) {
      batcher = new StatementBatcher<unknown>(statement, this.batchRunner);
      this.batchers.set(statement, batcher);
    }
    return batcher as StatementBatcher<Row>;
  }
}

/** Work that no request asks for has a deadline of its own. */
const arrivedNow = (): Arrival => ({ arrivedAt: performance.now() });
