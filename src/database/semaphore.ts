import { OverloadedError } from './database-errors.js';

/** Milliseconds for which a queue has not been empty when it is no burst any more but a jam. */
const JAMMED_AFTER = 1_000;
/** Milliseconds that whoever joins a jam waits at most. */
const WAIT_IN_JAM = 1_000;

interface Waiting {
  readonly enter: () => void;
}

/**
 * Places for a number of users at a time. Whoever finds none waits, in the order of arrival. In a jam the newest goes
 * first: the oldest will be too late anyway, and serving them first would make everybody late (ADR 13).
 */
export class Semaphore {
  private readonly queue: Waiting[] = [];
  private queuedSince = 0;
  private free: number;

  constructor(private readonly size: number) {
    this.free = size;
  }

  get isUnused(): boolean {
    return this.free === this.size;
  }

  get waiting(): number {
    return this.queue.length;
  }

  private get isJammed(): boolean {
    return this.queue.length > 0 && performance.now() - this.queuedSince > JAMMED_AFTER;
  }

  /**
   * Resolves when there is a place, which is the caller's until it calls `release`.
   *
   * @param until on the clock of `performance.now()`
   * @throws OverloadedError when it takes longer than that, or than anybody waits in a jam
   */
  async acquire(until: number): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    const now = performance.now();
    if (this.queue.length === 0) this.queuedSince = now;
    const patience = Math.min(until - now, this.isJammed ? WAIT_IN_JAM : Infinity);
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(new OverloadedError());
      }, patience);
      const waiting: Waiting = {
        enter: () => {
          clearTimeout(late);
          resolve();
        },
      };
      this.queue.push(waiting);
    });
  }

  release(): void {
    const next = this.isJammed ? this.queue.pop() : this.queue.shift();
    if (next === undefined) this.free += 1;
    else next.enter();
  }
}
