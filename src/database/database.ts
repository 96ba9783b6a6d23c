import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { v7 as uuidV7 } from 'uuid';
import { Environment } from '../config/environment.js';
import { arrayOf } from './array-literal.js';
import { CONNECTION_TIMEOUT } from './connection.js';
import { ConnectionPool } from './connection-pool.js';
import { isConnectionBroken } from './database-errors.js';
import { Distribution } from './distribution/distribution.js';
import { isRowLocked, isWorthAnotherAttempt, retryUntil } from './retry-until.js';
import { KeyedSemaphore } from './semaphore.js';
import type { BatchedStatement, Execute, Executor, Parameter, Statement } from './statement.js';
import { type BatchRunner, StatementBatcher } from './statement-batcher.js';
import type { StatementTimes } from './statement-times.js';
import { poolOf } from './wire/pool-of.js';
import { runStatement } from './wire/prepared-query.js';

/**
 * If the network breaks, PostgreSQL hears nothing of it and keeps the locks of a transaction for hours. By the time this ends
 * the transaction, no request waits for it any more.
 */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = '5s'`;

/**
 * Executes hand-written statements on TypeORM's own pool of connections. They are prepared, except through a pooler: it may
 * execute the next statement on a connection that has not prepared it.
 */
@Injectable()
export class Database implements Executor, OnModuleInit, OnModuleDestroy {
  private readonly pool: ConnectionPool;
  private readonly batchers = new Map<object, StatementBatcher<unknown>>();
  private readonly batchRunner: BatchRunner;
  private readonly rows = new KeyedSemaphore<string>(1);
  private readonly isPrepared: boolean;
  private distribution: Distribution | undefined;
  /** Undefined where nobody asks for metrics. */
  times: StatementTimes | undefined;
  /** Batches of one group, or transactions, that may wait for a lock with a connection. The other half is for everybody else. */
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

  /** How many connections are in use and idle, how many there may be, and how many callers wait for one. */
  get connections() {
    return this.pool.usage;
  }

  /** If several servers hold the submissions, there are no files and no webhooks. */
  get isOneServer(): boolean {
    return this.distribution === undefined;
  }

  async onModuleInit(): Promise<void> {
    this.distribution = await Distribution.of(this.dataSource, (statement, values) =>
      this.query(statement, values),
    );
  }

  onModuleDestroy(): void {
    this.distribution?.close();
    this.pool.close();
  }

  /** For a new submission. */
  newUuid(): string {
    return this.distribution?.newUuid() ?? uuidV7();
  }

  query<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return this.queryUntil(deadline(), statement, values);
  }

  batch<Row>(statement: BatchedStatement<Row>, values: readonly Parameter[]): Promise<Row | undefined> {
    return this.batcherOf(statement).add(values, deadline());
  }

  retryWhileLocked<T>(row: string | undefined, work: (executor: Executor) => Promise<T>): Promise<T> {
    const until = deadline();
    const executor: Executor = {
      query: (statement, values = []) => this.queryUntil(until, statement, values),
      batch: (statement, values) => this.batcherOf(statement).add(values, until),
      retryWhileLocked: (_, work) => work(executor),
    };
    return this.serialize(row, until, () => retryUntil(until, () => work(executor), isWorthAnotherAttempt));
  }

  /**
   * Commits when `work` ends, and rolls back when it throws. `row` is the row that it will write to, if that is known. The
   * transaction begins again while the row is locked, as in {@link retryWhileLocked}.
   */
  transaction<T>(work: (executor: Executor) => Promise<T>, row?: string): Promise<T> {
    const until = deadline();
    const attempt = () =>
      this.pool.use(until, async (client) => {
        try {
          await client.query(BEGIN);
          const result = await work(this.inTransaction(client, until));
          await client.query('commit');
          return result;
        } catch (error) {
          // If the server is out of reach, a rollback would fail as well, and there is no time left to try.
          if (!isConnectionBroken(error)) await client.query('rollback');
          throw error;
        }
      });
    return this.serialize(row, until, () => retryUntil(until, attempt, isWorthAnotherAttempt));
  }

  private inTransaction(client: PoolClient, until: number): Executor {
    const executor: Executor = {
      query: (statement, values = []) => this.run(client, statement, values),
      batch: async (statement, values) => (await this.runBatch(client, statement, [values], true))[0],
      retryWhileLocked: async (_, work) => {
        try {
          return await work(executor);
        } catch (error) {
          // A few transactions may wait with their connection, so that they keep the idempotency key that they hold.
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

  private queryUntil<Row>(
    until: number,
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.pool.use(until, (client) => this.run(client, statement, values));
  }

  private run<Row>(
    client: PoolClient,
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.distribution === undefined
      ? runStatement(client, statement, values, this.isPrepared, this.times)
      : this.distribution.run(statement, values, this.executeOn(client));
  }

  private async runBatch<Row>(
    client: PoolClient,
    statement: BatchedStatement<Row>,
    requests: readonly (readonly Parameter[])[],
    isInTransaction = false,
  ): Promise<readonly (Row | undefined)[]> {
    const arrays = statement.types.map((_, at) => arrayOf(requests.map((values) => values[at] as Parameter)));
    const found = await (this.distribution === undefined
      ? this.run(client, statement, arrays)
      : this.distribution.runBatch(
          statement,
          arrays,
          requests[0]?.[0] ?? null,
          isInTransaction,
          this.executeOn(client),
        ));
    const rows: (Row | undefined)[] = [];
    for (const { position, row } of found) rows[position - 1] = row;
    return rows;
  }

  private executeOn(client: PoolClient): Execute {
    return (statement, values) => runStatement(client, statement, values, this.isPrepared, this.times);
  }

  /** Runs work that names the same row one after the other. It waits before it takes a connection, so the row needs only one. */
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

/** Until when work that begins now may wait for its turn and for a connection, on the clock of `performance.now()`. */
const deadline = () => performance.now() + CONNECTION_TIMEOUT;
