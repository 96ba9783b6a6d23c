import type { Pool, PoolClient } from 'pg';
import { ConnectionError } from './database-errors.js';

/** Milliseconds after which a connection that nobody has needed goes back to the pool, which closes it after as long. */
const RELEASE_UNUSED_EVERY = 10_000;

/**
 * Connections of a pool that are kept checked out for the next statement. To release one and check it out again takes pg's pool
 * two timers and four events, which is more than a statement takes (ADR 18). The pool keeps one for those who ask it themselves.
 */
export class ConnectionCache {
  private readonly idle: PoolClient[] = [];
  /** How many of them nobody has needed since the timer last fired. */
  private unused = 0;
  private isClosed = false;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pool: Pool) {
    this.timer = setInterval(() => this.releaseUnused(), RELEASE_UNUSED_EVERY).unref();
  }

  get idleCount(): number {
    return this.idle.length;
  }

  /** @throws ConnectionError when the server gives none */
  acquire(): PoolClient | Promise<PoolClient> {
    const client = this.idle.pop();
    this.unused = Math.min(this.unused, this.idle.length);
    return client ?? this.connect();
  }

  release(client: PoolClient, isBroken: boolean): void {
    const isKept = this.idle.length < this.pool.options.max - 1 && this.pool.waitingCount === 0;
    if (isBroken || this.isClosed || !isKept) client.release(isBroken);
    else this.idle.push(client);
  }

  /** From now on the pool gets everything back, so that it can end. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
    for (const client of this.idle.splice(0)) client.release();
  }

  private connect(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      this.pool.connect((error, client) => {
        if (client === undefined) {
          reject(new ConnectionError(error ?? new Error('no connection')));
          return;
        }
        // The pool listens to its own only; without a listener the process would end.
        if (client.listenerCount('error') === 0) {
          client.on('error', (lost) => {
            this.lose(client, lost);
          });
        }
        resolve(client);
      });
    });
  }

  /** A statement under way fails as well, and says so itself. */
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
