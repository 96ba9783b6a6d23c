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
    if (row === undefined) return inside(this.connections, until, work);
    const turns = this.rows.get(row) ?? new Semaphore(1);
    this.rows.set(row, turns);
    try {
      return await inside(turns, until, () => inside(this.connections, until, work));
    } finally {
      if (turns.isUnused) this.rows.delete(row);
    }
  }
}

async function inside<T>(places: Semaphore, until: number, work: () => Promise<T>): Promise<T> {
  await places.acquire(until);
  try {
    return await work();
  } finally {
    places.release();
  }
}
