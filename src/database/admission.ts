import { Semaphore, type Until } from './semaphore.js';
import { Semaphores } from './semaphores.js';

/**
 * Admits as much work as there are connections for. What writes to the same row is executed one after the other, and waits
 * before it takes a connection, so that a row keeps one connection only, however much waits for it (ADR 13).
 *
 * Where there is nothing to wait for, both kinds of `acquire` give undefined: a promise of nothing costs as much as any
 * other. They throw an OverloadedError when it takes longer than `until`, on the clock of `performance.now()`.
 */
export class Admission {
  private readonly connections: Semaphore;
  private readonly rows = new Semaphores<string>(1);

  constructor(size: number) {
    this.connections = new Semaphore(size);
  }

  /** How much waits for a connection. */
  get waiting(): number {
    return this.connections.waiting;
  }

  acquireConnection(until: Until): Promise<void> | undefined {
    return this.connections.acquire(until);
  }

  releaseConnection(): void {
    this.connections.release();
  }

  acquireRow(row: string, until: number): Promise<void> | undefined {
    return this.rows.acquire(row, until);
  }

  releaseRow(row: string): void {
    this.rows.release(row);
  }
}
