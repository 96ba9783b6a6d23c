import { Semaphore } from './semaphore.js';

/** Below so many rows, those that nobody uses are not looked for. */
const FEW_ROWS = 64;

/**
 * Lets in as much work as there are connections for. What locks the same row takes turns before it takes a connection,
 * so that however much waits for a row, it keeps one connection only from all others (ADR 13).
 *
 * Where there is nothing to wait for, `enter` and `takeTurn` give undefined: a promise of nothing costs as much as any
 * other. They throw an OverloadedError when it takes longer than `until`, on the clock of `performance.now()`.
 */
export class Admission {
  private readonly connections: Semaphore;
  private rows = new Map<string, Semaphore>();
  private tidyAt = FEW_ROWS;

  constructor(size: number) {
    this.connections = new Semaphore(size);
  }

  /** How much waits for a connection. */
  get waiting(): number {
    return this.connections.waiting;
  }

  /** Whoever was let in must leave. */
  enter(until: number): Promise<void> | undefined {
    return this.connections.acquire(until);
  }

  leave(): void {
    this.connections.release();
  }

  /** Whoever got the turn must end it. */
  takeTurn(row: string, until: number): Promise<void> | undefined {
    let turns = this.rows.get(row);
    if (turns === undefined) {
      if (this.rows.size >= this.tidyAt) this.tidy();
      this.rows.set(row, (turns = new Semaphore(1)));
    }
    return turns.acquire(until);
  }

  endTurn(row: string): void {
    this.rows.get(row)?.release();
  }

  /** Into a new map: of one that is deleted from and added to, V8 keeps what it held until its next full collection. */
  private tidy(): void {
    const used = [...this.rows].filter(([, turns]) => !turns.isUnused);
    this.rows = new Map(used);
    this.tidyAt = Math.max(FEW_ROWS, 2 * used.length);
  }
}
