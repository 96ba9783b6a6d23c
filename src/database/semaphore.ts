import { OverloadedError } from './database-errors.js';

/** Milliseconds that the first caller has waited when a queue is no longer a burst but a jam. */
const JAMMED_AFTER = 1_000;
/** Milliseconds that callers who join a jam wait at most. */
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
 * Places for a number of callers at a time, given in the order of arrival. A burst is waited out. In a jam, new callers wait
 * only briefly, so that the queue and everybody's wait stay short (ADR 7).
 */
export class Semaphore {
  // Not a Set: V8 keeps what a busy Set held until its next full collection.
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
   * Returns undefined if a place is free, or else a promise of one. A promise of nothing costs as much as any other. The
   * caller keeps the place until it calls `release`.
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

/** With fewer keys, unused semaphores are not removed. */
const FEW_KEYS = 64;

/** A {@link Semaphore} for each key that is in use, all of one size. */
export class KeyedSemaphore<Key> {
  private semaphores = new Map<Key, Semaphore>();
  private removeUnusedAt = FEW_KEYS;

  constructor(private readonly size: number) {}

  acquire(key: Key, until: Until): Promise<void> | undefined {
    let semaphore = this.semaphores.get(key);
    if (semaphore === undefined) {
      if (this.semaphores.size >= this.removeUnusedAt) this.removeUnused();
      this.semaphores.set(key, (semaphore = new Semaphore(this.size)));
    }
    return semaphore.acquire(until);
  }

  release(key: Key): void {
    this.semaphores.get(key)?.release();
  }

  /** Makes a new map: V8 keeps what a busy Map held until its next full collection. */
  private removeUnused(): void {
    const used = [...this.semaphores].filter(([, semaphore]) => !semaphore.isUnused);
    this.semaphores = new Map(used);
    this.removeUnusedAt = Math.max(FEW_KEYS, 2 * used.length);
  }
}
