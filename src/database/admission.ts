import { Semaphore } from './semaphore.js';

/** Below so many rows, those that nobody uses are not looked for. */
const FEW_ROWS = 64;

/**
 * Admits as much work as there are connections for. What writes to the same row is executed one after the other, and waits
 * before it takes a connection, so that a row keeps one connection only, however much waits for it (ADR 13).
 *
 * Where there is nothing to wait for, both kinds of `acquire` give undefined: a promise of nothing costs as much as any
 * other. They throw an OverloadedError when it takes longer than `until`, on the clock of `performance.now()`.
 */
export class Admission {
  private readonly connections: Semaphore;
  private rows = new Map<string, Semaphore>();
  private removeUnusedAt = FEW_ROWS;

  constructor(size: number) {
    this.connections = new Semaphore(size);
  }

  /** How much waits for a connection. */
  get waiting(): number {
    return this.connections.waiting;
  }

  acquireConnection(until: number): Promise<void> | undefined {
    return this.connections.acquire(until);
  }

  releaseConnection(): void {
    this.connections.release();
  }

  acquireRow(row: string, until: number): Promise<void> | undefined {
    let mutex = this.rows.get(row);
    if (mutex === undefined) {
      if (this.rows.size >= this.removeUnusedAt) this.removeUnused();
      this.rows.set(row, (mutex = new Semaphore(1)));
    }
    return mutex.acquire(until);
  }

  releaseRow(row: string): void {
    this.rows.get(row)?.release();
  }

  /** Into a new map: of one that is deleted from and added to, V8 keeps what it held until its next full collection. */
  private removeUnused(): void {
    const used = [...this.rows].filter(([, mutex]) => !mutex.isUnused);
    this.rows = new Map(used);
    this.removeUnusedAt = Math.max(FEW_ROWS, 2 * used.length);
  }
}
