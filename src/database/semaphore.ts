import { type Bottleneck, OverloadedError } from './database-errors.js';

/** Milliseconds. If the first caller in the queue has waited longer, the semaphore is overloaded. */
const OVERLOADED_AFTER = 1_000;
/** Milliseconds that new callers wait at most while the semaphore is overloaded. */
const WAIT_WHEN_OVERLOADED = 500;

/**
 * The time when a caller stops waiting, on the clock of `performance.now()`. A function is called again each time the
 * deadline that it returned has passed. The caller stops waiting when the function returns undefined. The deadline
 * should not be later than `maxWait` milliseconds after the caller began to wait. `maxWait` is finite if the semaphore
 * is overloaded.
 */
export type Deadline = number | ((maxWait: number) => number | undefined);

interface Waiter {
  readonly since: number;
  readonly enter: () => void;
}

/**
 * Grants permits to a limited number of callers at a time, in the order of arrival. During a burst, all callers wait.
 * While the semaphore is overloaded, new callers wait only briefly, so that the queue and all waits stay short (ADR
 * 7).
 */
export class Semaphore {
  // Not a Set, because V8 keeps the old entries of a busy Set until its next full collection.
  private readonly queue: Waiter[] = [];
  private free: number;

  /** @param bottleneck what an {@link OverloadedError} names as the cause */
  constructor(
    private readonly size: number,
    private readonly bottleneck?: Bottleneck,
  ) {
    this.free = size;
  }

  get isUnused(): boolean {
    return this.free === this.size;
  }

  get waiting(): number {
    return this.queue.length;
  }

  /**
   * Acquires a permit, which the caller keeps until it calls `release`. Returns undefined if a permit is free, because even a
   * resolved promise has a cost. Otherwise returns a promise, which resolves when the caller has the permit.
   *
   * @throws OverloadedError if no permit is free by the deadline, which an overload shortens
   */
  acquire(until: Deadline): Promise<void> | undefined {
    if (this.free > 0) {
      this.free -= 1;
      return undefined;
    }
    const since = performance.now();
    const isOverloaded = since - (this.queue[0]?.since ?? since) > OVERLOADED_AFTER;
    const maxWait = isOverloaded ? WAIT_WHEN_OVERLOADED : Infinity;
    const end = typeof until === 'number' ? Math.min(until, since + maxWait) : (until(maxWait) ?? since);
    return new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        const next = typeof until === 'number' ? undefined : until(maxWait);
        if (next !== undefined) {
          timer = setTimeout(giveUp, next - performance.now());
          return;
        }
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(new OverloadedError(this.bottleneck));
      };
      const waiting: Waiter = {
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

/** Unused semaphores are removed only if there are at least this many keys. */
const FEW_KEYS = 64;

/** A {@link Semaphore} for each key that is in use. All semaphores have the same size. */
export class KeyedSemaphore<Key> {
  private semaphores = new Map<Key, Semaphore>();
  private removeUnusedAt = FEW_KEYS;

  constructor(
    private readonly size: number,
    private readonly bottleneck?: Bottleneck,
  ) {}

  acquire(key: Key, until: Deadline): Promise<void> | undefined {
    let semaphore = this.semaphores.get(key);
    if (semaphore === undefined) {
      if (this.semaphores.size >= this.removeUnusedAt) this.removeUnused();
      this.semaphores.set(key, (semaphore = new Semaphore(this.size, this.bottleneck)));
    }
    return semaphore.acquire(until);
  }

  release(key: Key): void {
    this.semaphores.get(key)?.release();
  }

  /** Creates a new map, because V8 keeps the old entries of a busy Map until its next full collection. */
  private removeUnused(): void {
    const used = [...this.semaphores].filter(([, semaphore]) => !semaphore.isUnused);
    this.semaphores = new Map(used);
    this.removeUnusedAt = Math.max(FEW_KEYS, 2 * used.length);
  }
}
