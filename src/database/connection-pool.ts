import type { Pool, PoolClient } from 'pg';
import { ConnectionError, isResponseTimeout, isConnectionBroken, isReadOnly } from './database-errors.js';
import { type Deadline, Semaphore } from './semaphore.js';
import { sendCancelRequest } from './wire/cancel-request.js';

/** Milliseconds. An unused connection returns to pg's pool after this time. pg's pool closes it after another 10 seconds. */
const RELEASE_UNUSED_EVERY = 10_000;

/**
 * Lends the connections of pg's pool to callers, which wait in order and until their deadline. Idle connections stay checked out of
 * pg's pool: releasing and checking out costs two timers and four events, which is more than a statement costs (ADR 8). One
 * connection is left for code that uses pg's pool directly.
 */
export class ConnectionPool {
  private readonly permits: Semaphore;
  private readonly idle: PoolClient[] = [];
  /** The number of connections that have been idle since the timer last fired. */
  private unused = 0;
  private isClosed = false;
  private readonly timer: NodeJS.Timeout;
  /** Counts failovers. Connections from before a failover may lead to a replica, which rejects every write. */
  private failovers = 0;
  /**
   * The value of `failovers` when each connection was opened. Connections that are older than this object have no
   * entry.
   */
  private readonly madeAfter = new WeakMap<PoolClient, number>();

  constructor(private readonly pool: Pool) {
    this.permits = new Semaphore(pool.options.max);
    this.timer = setInterval(() => this.releaseUnused(), RELEASE_UNUSED_EVERY).unref();
    pool.on('connect', (client) => this.madeAfter.set(client, this.failovers));
  }

  /**
   * The number of connections in use, the number of idle connections, the maximum of their sum, and the number of
   * waiting callers.
   */
  get usage() {
    const { totalCount, waitingCount, idleCount, options } = this.pool;
    const idle = idleCount + this.idle.length;
    return {
      inUse: totalCount - idle,
      idle,
      size: options.max,
      waiting: waitingCount + this.permits.waiting,
    };
  }

  /**
   * Runs `work` on a connection.
   *
   * @throws OverloadedError if no connection is free by the deadline, ConnectionError if a connection cannot be opened
   */
  // A single function, because each further awaited function costs a kilobyte of memory and a microsecond.
  async use<T>(until: Deadline, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const waiting = this.permits.acquire(until);
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
        if (isResponseTimeout(error)) sendCancelRequest(client);
        if (isReadOnly(error) && !this.isStale(client)) this.failovers += 1;
        throw error;
      } finally {
        this.release(client, isBroken || this.isStale(client));
      }
    } finally {
      this.permits.release();
    }
  }

  /** Cancels the statement that this connection executes. The statement fails with SQLSTATE 57014, unless it has ended before. */
  cancel(client: PoolClient): void {
    sendCancelRequest(client);
    // The cancel request may arrive after the statement has ended, and would cancel the next statement. Close the
    // connection.
    this.madeAfter.set(client, -1);
  }

  /**
   * Returns idle connections to pg's pool at once, and connections in use after their use, so that pg's pool can end.
   */
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
        // pg's pool handles errors of its idle connections only. Without a handler, a lost connection would end the process.
        if (client.listenerCount('error') === 0) {
          client.on('error', (lost) => {
            this.lose(client, lost);
          });
        }
        resolve(client);
      });
    });
  }

  /** Reports a lost idle connection. If the connection is in use, its statement fails and reports the error. */
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
