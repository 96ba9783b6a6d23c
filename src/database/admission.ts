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
   * Waits for the row's turn and then for a connection, for both together no longer than for a connection alone. Where
   * there is nothing to wait for it gives undefined: a promise of nothing costs as much as any other. Whoever was let
   * in must leave.
   *
   * @throws OverloadedError when that takes too long
   */
  enter(row: string | undefined): Promise<void> | undefined {
    const until = performance.now() + CONNECTION_TIMEOUT;
    if (row === undefined) return this.connections.acquire(until);
    let turns = this.rows.get(row);
    if (turns === undefined) this.rows.set(row, (turns = new Semaphore(1)));
    const turn = turns.acquire(until);
    if (turn !== undefined) return turn.then(() => this.connectInTurn(row, until));
    const place = this.connections.acquire(until);
    return place?.catch((error: unknown) => this.passTurn(row, error));
  }

  leave(row: string | undefined): void {
    this.connections.release();
    if (row !== undefined) this.endTurn(row);
  }

  private async connectInTurn(row: string, until: number): Promise<void> {
    await this.connections.acquire(until)?.catch((error: unknown) => this.passTurn(row, error));
  }

  private passTurn(row: string, error: unknown): never {
    this.endTurn(row);
    throw error;
  }

  private endTurn(row: string): void {
    const turns = this.rows.get(row);
    turns?.release();
    if (turns?.isUnused) this.rows.delete(row);
  }
}
