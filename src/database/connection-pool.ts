import type { Pool, PoolClient } from 'pg';
import { ConnectionError, isAnswerTimeout, isConnectionBroken, isReadOnly } from './database-errors.js';
import { Semaphore, type Until } from './semaphore.js';
import { sendCancelRequest } from './wire/cancel-request.js';

/** Milliseconds after which an unused connection goes back to pg's pool, which closes it after as long again. */
const RELEASE_UNUSED_EVERY = 10_000;

/**
 * Lends the connections of pg's pool to callers, who wait in order and until their deadline. Between two statements a
 * connection stays checked out: to release it and check it out again takes pg's pool two timers and four events, which is
 * more than a statement takes (ADR 8). One connection is left to those who ask pg's pool themselves.
 */
export class ConnectionPool {
  private readonly places: Semaphore;
  private readonly idle: PoolClient[] = [];
  /** How many idle connections nobody has needed since the timer last fired. */
  private unused = 0;
  private isClosed = false;
  private readonly timer: NodeJS.Timeout;
  /** After a failover, the connections from before lead to a replica, which refuses each write. */
  private failovers = 0;
  /** The number of failovers when a connection was made. It lacks connections that are older than this object. */
  private readonly madeAfter = new WeakMap<PoolClient, number>();

  constructor(private readonly pool: Pool) {
    this.places = new Semaphore(pool.options.max);
    this.timer = setInterval(() => this.releaseUnused(), RELEASE_UNUSED_EVERY).unref();
    pool.on('connect', (client) => this.madeAfter.set(client, this.failovers));
  }

  /** How many connections are in use and idle, how many there may be, and how many callers wait for one. */
  get usage() {
    const { totalCount, waitingCount, idleCount, options } = this.pool;
    const idle = idleCount + this.idle.length;
    return { inUse: totalCount - idle, idle, size: options.max, waiting: waitingCount + this.places.waiting };
  }

  /**
   * Runs `work` on a connection.
   *
   * @throws OverloadedError when none is free in time, ConnectionError when the server gives none
   */
  // One function for all of it: each that is awaited on the way takes a kilobyte of memory and a microsecond.
  async use<T>(until: Until, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const waiting = this.places.acquire(until);
    if (waiting !== undefined) await waiting;
    try {
      let client = this.takeIdle() ?? (await this.connect());
      while (this.isStale(client)) {
        client.release(true);
        client = this.takeIdle() ?? (await this.connect());
      }
      let isBroken = false;
      try {
        return await work(client);
      } catch (error) {
        isBroken = isConnectionBroken(error);
        if (isAnswerTimeout(error)) sendCancelRequest(client);
        if (isReadOnly(error) && !this.isStale(client)) this.failovers += 1;
        throw error;
      } finally {
        this.release(client, isBroken || this.isStale(client));
      }
    } finally {
      this.places.release();
    }
  }

  /** The statement that the connection executes fails with SQLSTATE 57014, unless it ends before. */
  cancel(client: PoolClient): void {
    sendCancelRequest(client);
    // The request may arrive after the statement has ended. It must not cancel another one, so the connection is closed.
    this.madeAfter.set(client, -1);
  }

  /** Gives everything back to pg's pool from now on, so that the pool can end. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
    for (const client of this.idle.splice(0)) client.release();
  }

  private isStale(client: PoolClient): boolean {
    return (this.madeAfter.get(client) ?? 0) !== this.failovers;
  }

  private takeIdle(): PoolClient | undefined {
    const client = this.idle.pop();
    this.unused = Math.min(this.unused, this.idle.length);
    return client;
  }

  private release(client: PoolClient, isBroken: boolean): void {
    const isKept = this.idle.length < this.pool.options.max - 1 && this.pool.waitingCount === 0;
    if (isBroken || this.isClosed || !isKept) client.release(isBroken);
    else this.idle.push(client);
  }

  private connect(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      this.pool.connect((error, client) => {
        if (client === undefined) {
          reject(new ConnectionError(error ?? new Error('no connection')));
          return;
        }
        // The pool listens to its own idle connections only. Without a listener, a lost one would end the process.
        if (client.listenerCount('error') === 0) {
          client.on('error', (lost) => {
            this.lose(client, lost);
          });
        }
        resolve(client);
      });
    });
  }

  /** A statement in progress fails as well, and reports the error itself. */
  private lose(client: PoolClient, error: Error): void {
    const at = this.idle.indexOf(client);
    if (at === -1) return;
    this.idle.splice(at, 1);
    client.release(true);
    this.pool.emit('error', error, client);
  }

  private releaseUnused(): void {
    for (const client of this.idle.splice(0, this.unused)) client.release();
    this.unused = this.idle.length;
  }
}
