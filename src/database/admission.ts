import { CONNECTION_TIMEOUT } from './data-source.js';
import { Semaphore } from './semaphore.js';

/**
 * Lets in as much work as there are connections for. What locks the same row takes turns before it takes a connection,
 * so that however much waits for a row, it keeps one connection only from all others (ADR 13).
 */
export class Admission {
  private readonly connections: Semaphore;
  private readonly rows = new Map<string, Semaphore>();

  constructor(size: number) {
    this.connections = new Semaphore(size);
  }

  /** How much waits for a connection. */
  get waiting(): number {
    return this.connections.waiting;
  }

  /**
   * Waits for the row's turn and then for a connection, for both together no longer than for a connection alone.
   *
   * @throws OverloadedError when that takes too long
   */
  async admit<T>(row: string | undefined, work: () => Promise<T>): Promise<T> {
    const until = performance.now() + CONNECTION_TIMEOUT;
    const turns = row === undefined ? undefined : this.turnsAt(row);
    // Most of the time there is nothing to wait for, and a promise of nothing costs as much as any other.
    const turn = turns?.acquire(until);
    if (turn !== undefined) await turn;
    try {
      const place = this.connections.acquire(until);
      if (place !== undefined) await place;
      try {
        return await work();
      } finally {
        this.connections.release();
      }
    } finally {
      turns?.release();
      if (row !== undefined && turns?.isUnused) this.rows.delete(row);
    }
  }

  private turnsAt(row: string): Semaphore {
    let turns = this.rows.get(row);
    if (turns === undefined) this.rows.set(row, (turns = new Semaphore(1)));
    return turns;
  }
}
