import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import { Admission } from './admission.js';
import { arrayOf } from './array-literal.js';
import { StatementBatcher, type Connections, executeBatch } from './statement-batcher.js';
import { ConnectionCache } from './connection-pool.js';
import { CONNECTION_TIMEOUT } from './connection.js';
import { isAnswerTimeout, isConnectionBroken, isReadOnly, isShardMoved } from './database-errors.js';
import { ASK_WORKER, LostWorkers } from './distribution/lost-workers.js';
import type { StatementTimes } from './statement-times.js';
import { ON_SHARDS, valuesOfRow } from './distribution/on-shards.js';
import { readShards, type Shards } from './distribution/shards.js';
import type { Until } from './semaphore.js';
import type { Executor, Parameter, BatchedRow, BatchedStatement, Statement } from './statement.js';
import { isRowLocked, isWorthAnotherAttempt, retryUntil } from './retry-until.js';
import { sendCancelRequest } from './wire/cancel-request.js';
import { runStatement } from './wire/prepared-query.js';

/**
 * Of a service that a broken network has cut off, the server hears nothing, not even the end: what a transaction has
 * locked would stay locked for hours. By then no request waits for it any more.
 */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = '5s'`;

/**
 * Hand-written statements on TypeORM's own pool of connections. They are prepared, except by way of a pooler: it may
 * hand the next statement to a connection of the server's that has never heard of the first.
 */
@Injectable()
export class Database implements Executor, Connections, OnModuleInit, OnModuleDestroy {
  private readonly pool: Pool;
  private readonly cached: ConnectionCache;
  private readonly admission: Admission;
  private readonly batches = new Map<object, StatementBatcher<unknown>>();
  readonly batchLimit: number;
  private readonly isPrepared: boolean;
  /** On the clock of `performance.now()`, as is `readOnlyAt`. It lacks connections that are older than this object. */
  private readonly connectedAt = new WeakMap<PoolClient, number>();
  private readOnlyAt = -Infinity;
  /** Undefined on one server. */
  shards: Shards | undefined;
  readonly lostWorkers = new LostWorkers({
    shards: () => this.shards,
    ask: (uuid) => this.readShards().then(() => this.query(ASK_WORKER, [uuid])),
  });
  /** Undefined where nobody asks for metrics. */
  times: StatementTimes | undefined;
  /** Transactions that wait for a row which others have locked. */
  private waitingInside = 0;

  constructor(
    private readonly dataSource: DataSource,
    environment: Environment,
  ) {
    this.isPrepared = environment.databaseDirectUrl === undefined;
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
    this.cached = new ConnectionCache(this.pool);
    this.admission = new Admission(this.pool.options.max);
    this.batchLimit = Math.ceil(this.pool.options.max / 2);
    this.pool.on('connect', (client) => this.connectedAt.set(client, performance.now()));
  }

  /** How many connections are in use and idle, how many there may be, and how many callers wait for one. */
  get connections() {
    const { totalCount, waitingCount, options } = this.pool;
    const idle = this.pool.idleCount + this.cached.idleCount;
    const waiting = waitingCount + this.admission.waiting;
    return { inUse: totalCount - idle, idle, size: options.max, waiting };
  }

  onModuleInit(): Promise<void> {
    return this.readShards();
  }

  onModuleDestroy(): void {
    this.lostWorkers.close();
    this.cached.close();
  }

  query<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return this.onConnection(deadline(), (client) => this.run(client, statement, values));
  }

  batch<Row>(statement: BatchedStatement<Row>, values: readonly Parameter[]): Promise<Row | undefined> {
    return this.batcherOf(statement).add(values, deadline());
  }

  retryWhileLocked<T>(row: string | undefined, work: (executor: Executor) => Promise<T>): Promise<T> {
    const until = deadline();
    const executor: Executor = {
      query: (statement, values = []) =>
        this.onConnection(until, (client) => this.run(client, statement, values)),
      batch: (statement, values) => this.batcherOf(statement).add(values, until),
      retryWhileLocked: (_, work) => work(executor),
    };
    return this.serialize(row, until, () => retryUntil(until, () => work(executor), isWorthAnotherAttempt));
  }

  /**
   * Commits when `work` ends, rolls back when it throws. `row` is what it will write to, where that is known; what others
   * have locked is waited for as by {@link retryWhileLocked}.
   */
  transaction<T>(work: (executor: Executor) => Promise<T>, row?: string): Promise<T> {
    const until = deadline();
    const attempt = () =>
      this.onConnection(until, async (client) => {
        try {
          await client.query(BEGIN);
          const result = await work(this.on(client, until));
          await client.query('commit');
          return result;
        } catch (error) {
          // Where the server is out of reach there is nobody to roll back with, and no time left to try.
          if (!isConnectionBroken(error)) await client.query('rollback');
          throw error;
        }
      });
    return this.serialize(row, until, () => retryUntil(until, attempt, isWorthAnotherAttempt));
  }

  run<Row>(client: PoolClient, statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    const text = this.shards === undefined ? statement.text : statement.distributed;
    return runStatement(client, statement, values, this.isPrepared, text, this.times);
  }

  async runBatch<Row>(
    client: PoolClient,
    statement: BatchedStatement<Row>,
    arrays: readonly string[],
    first: Parameter,
  ): Promise<BatchedRow<Row>[]> {
    if (this.shards === undefined || statement.types[0] !== 'uuid')
      return this.run(client, statement, arrays);
    // Named after the statement, for whoever traces it.
    const onShards = { ...ON_SHARDS, name: `${statement.name}.on_shards` };
    try {
      const rows = await this.run(client, onShards, [first, statement.onShard, arrayOf(arrays)]);
      return rows.map(({ row }) => statement.read(valuesOfRow(row)));
    } catch (error) {
      this.lostWorkers.note(error, first as string);
      if (isShardMoved(error)) void this.readShards().catch(() => undefined);
      throw error;
    }
  }

  private async readShards(): Promise<void> {
    this.shards = await readShards(this.dataSource);
  }

  cancel(client: PoolClient): void {
    sendCancelRequest(client);
    // The request may arrive when the statement is over: no other statement may be on the connection by then.
    this.connectedAt.set(client, -Infinity);
  }

  private async serialize<T>(row: string | undefined, until: number, work: () => Promise<T>): Promise<T> {
    if (row === undefined) return work();
    const acquired = this.admission.acquireRow(row, until);
    if (acquired !== undefined) await acquired;
    try {
      return await work();
    } finally {
      this.admission.releaseRow(row);
    }
  }

  // One function for all of it: each that is awaited on the way takes a kilobyte of memory and a microsecond.
  async onConnection<T>(until: Until, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const acquired = this.admission.acquireConnection(until);
    if (acquired !== undefined) await acquired;
    try {
      const connection = this.cached.acquire();
      const first = connection instanceof Promise ? await connection : connection;
      const client = this.isOutdated(first) ? await this.replace(first) : first;
      let isBroken = false;
      try {
        return await work(client);
      } catch (error) {
        isBroken = isConnectionBroken(error);
        if (isAnswerTimeout(error)) sendCancelRequest(client);
        if (isReadOnly(error)) this.readOnlyAt = performance.now();
        throw error;
      } finally {
        this.cached.release(client, isBroken || this.isOutdated(client));
      }
    } finally {
      this.admission.releaseConnection();
    }
  }

  private on(client: PoolClient, until: number): Executor {
    const executor: Executor = {
      query: (statement, values = []) => this.run(client, statement, values),
      batch: async (statement, values) => {
        const run: Executor['query'] = (one, arrays = []) => this.run(client, one, arrays);
        try {
          return (await executeBatch(run, statement, [values]))[0];
        } catch (error) {
          if (statement.types[0] === 'uuid') this.lostWorkers.note(error, values[0] as string);
          throw error;
        }
      },
      retryWhileLocked: async (_, work) => {
        try {
          return await work(executor);
        } catch (error) {
          // A few may wait within the transaction, so that what it has claimed stays its own.
          if (!isRowLocked(error) || this.waitingInside >= this.batchLimit) throw error;
        }
        this.waitingInside += 1;
        try {
          return await retryUntil(until, () => work(executor), isRowLocked);
        } finally {
          this.waitingInside -= 1;
        }
      },
    };
    return executor;
  }

  private batcherOf<Row>(statement: BatchedStatement<Row>): StatementBatcher<Row> {
    let batches = this.batches.get(statement);
    if (batches === undefined)
      this.batches.set(statement, (batches = new StatementBatcher<unknown>(statement, this)));
    return batches as StatementBatcher<Row>;
  }

  private async replace(outdated: PoolClient): Promise<PoolClient> {
    let client = outdated;
    while (this.isOutdated(client)) {
      client.release(true);
      client = await this.cached.acquire();
    }
    return client;
  }

  /** After a failover all connections from before it lead to what is a replica now, and would refuse a write each. */
  private isOutdated(client: PoolClient): boolean {
    return (this.connectedAt.get(client) ?? 0) <= this.readOnlyAt;
  }
}

/** Until when what begins now may wait for its turn and for a connection, on the clock of `performance.now()`. */
const deadline = () => performance.now() + CONNECTION_TIMEOUT;
