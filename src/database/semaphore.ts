import { OverloadedError } from './database-errors.js';

/** Milliseconds that the first one has waited when a queue is no burst any more but a jam. */
const JAMMED_AFTER = 1_000;
/** Milliseconds that whoever joins a jam waits at most. */
const WAIT_IN_JAM = 500;

/**
 * When a caller stops waiting, on the clock of `performance.now()`. A function is called again each time its last result has
 * passed, and the caller waits until it returns undefined. In a jam, nobody should wait longer than `patience` milliseconds.
 */
export type Until = number | ((patience: number) => number | undefined);

interface Waiting {
  readonly since: number;
  readonly enter: () => void;
}

/**
 * Places for a number of users at a time, given in the order of arrival. A burst is waited out; in a jam those who come
 * anew are not kept for long, so that the queue, and everybody's wait, stays short (ADR 13).
 */
export class Semaphore {
  // Not a Set: one that is added to and deleted from all the time keeps what it held from being collected early.
  private readonly queue: Waiting[] = [];
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

  /**
   * Undefined where there is a place, or else a promise of one; it is the caller's until it calls `release`.
   *
   * @throws OverloadedError when it takes longer than `until`, or than anybody waits in a jam
   */
  acquire(until: Until): Promise<void> | undefined {
    if (this.free > 0) {
      this.free -= 1;
      return undefined;
    }
    const since = performance.now();
    const isJammed = since - (this.queue[0]?.since ?? since) > JAMMED_AFTER;
    const patience = isJammed ? WAIT_IN_JAM : Infinity;
    const end = typeof until === 'number' ? Math.min(until, since + patience) : (until(patience) ?? since);
    return new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        const next = typeof until === 'number' ? undefined : until(patience);
        if (next !== undefined) {
          timer = setTimeout(giveUp, next - performance.now());
          return;
        }
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(new OverloadedError());
      };
      const waiting: Waiting = {
        since,
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      let timer = setTimeout(giveUp, end - since);
      this.queue.push(waiting);
    });
  }

  release(): void {
    const next = this.queue.shift();
    if (next === undefined) this.free += 1;
    else next.enter();
  }
}
