import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import { Admission } from './admission.js';
import { Batches, type Connections } from './batches.js';
import { cancel } from './cancel.js';
import { CONNECTION_TIMEOUT } from './data-source.js';
import { isDatabaseUnavailable, isReadOnly, isUnanswered } from './database-errors.js';
import { Lanes } from './lanes.js';
import type { Executor, Parameter, SharedStatement, Statement } from './statement.js';
import { runStatement } from './statement-query.js';

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
export class Database implements Executor, Connections, OnModuleDestroy {
  private readonly pool: Pool;
  private readonly lanes: Lanes;
  private readonly admission: Admission;
  private readonly batches = new Map<object, Batches<unknown>>();
  private readonly isPrepared: boolean;
  /** On the clock of `performance.now()`, as is `readOnlyAt`. Connections older than this object are not in it. */
  private readonly connectedAt = new WeakMap<PoolClient, number>();
  private readOnlyAt = -Infinity;

  constructor(dataSource: DataSource, environment: Environment) {
    this.isPrepared = environment.databaseDirectUrl === undefined;
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
    this.lanes = new Lanes(this.pool);
    this.admission = new Admission(this.pool.options.max);
    this.pool.on('connect', (client) => this.connectedAt.set(client, performance.now()));
  }

  /** How many connections are in use and idle, how many there may be, and how many callers wait for one. */
  get connections() {
    const { totalCount, waitingCount, options } = this.pool;
    const idle = this.pool.idleCount + this.lanes.idleCount;
    const waiting = waitingCount + this.admission.waiting;
    return { inUse: totalCount - idle, idle, size: options.max, waiting };
  }

  onModuleDestroy(): void {
    this.lanes.close();
  }

  query<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return this.onConnection(deadline(), (client) => this.run(client, statement, values));
  }

  share<Row>(statement: SharedStatement<Row>, values: readonly Parameter[]): Promise<Row | undefined> {
    const until = deadline();
    const batches = this.batchesOf(statement);
    if (!statement.locksRow) return batches.add(values, until);
    return this.inTurn(String(values[0]), until, () => batches.add(values, until));
  }

  /** Commits when `work` ends, rolls back when it throws. `row` is what it will lock, where that is known. */
  transaction<T>(work: (executor: Executor) => Promise<T>, row?: string): Promise<T> {
    const until = deadline();
    const carryOut = () =>
      this.onConnection(until, async (client) => {
        try {
          await client.query(BEGIN);
          const result = await work(this.on(client));
          await client.query('commit');
          return result;
        } catch (error) {
          // Where the server is out of reach there is nobody to roll back with, and no time left to try.
          if (!isDatabaseUnavailable(error)) await client.query('rollback');
          throw error;
        }
      });
    return row === undefined ? carryOut() : this.inTurn(row, until, carryOut);
  }

  run<Row>(client: PoolClient, statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    return runStatement(client, statement, values, this.isPrepared);
  }

  private async inTurn<T>(row: string, until: number, work: () => Promise<T>): Promise<T> {
    const turn = this.admission.takeTurn(row, until);
    if (turn !== undefined) await turn;
    try {
      return await work();
    } finally {
      this.admission.endTurn(row);
    }
  }

  // One function for all of it: each that is awaited on the way takes a kilobyte of memory and a microsecond.
  async onConnection<T>(until: number, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const entered = this.admission.enter(until);
    if (entered !== undefined) await entered;
    try {
      const taken = this.lanes.take();
      const first = taken instanceof Promise ? await taken : taken;
      const client = this.isOutdated(first) ? await this.replace(first) : first;
      let isBroken = false;
      try {
        return await work(client);
      } catch (error) {
        isBroken = isDatabaseUnavailable(error);
        if (isUnanswered(error)) cancel(client);
        if (isReadOnly(error)) this.readOnlyAt = performance.now();
        throw error;
      } finally {
        this.lanes.giveBack(client, isBroken || this.isOutdated(client));
      }
    } finally {
      this.admission.leave();
    }
  }

  private on(client: PoolClient): Executor {
    return {
      query: (statement, values = []) => this.run(client, statement, values),
      share: async (statement, values) => (await this.run(client, statement, values))[0],
    };
  }

  private batchesOf<Row>(statement: SharedStatement<Row>): Batches<Row> {
    let batches = this.batches.get(statement);
    if (batches === undefined) this.batches.set(statement, (batches = new Batches<unknown>(statement, this)));
    return batches as Batches<Row>;
  }

  private async replace(outdated: PoolClient): Promise<PoolClient> {
    let client = outdated;
    while (this.isOutdated(client)) {
      client.release(true);
      client = await this.lanes.take();
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
