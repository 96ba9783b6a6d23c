import { OverloadedError } from '../../database/database-errors.js';

/**
 * Maximum bytes of large bodies that the process handles at a time. The bodies use four to five times as much memory. If all these
 * bodies write to one submission, the last one still waits less than the 2 seconds that a write may wait for a lock.
 */
const BUDGET = 4 * 1_048_576;
/** Maximum milliseconds that a caller waits for its bytes. */
const MAX_WAIT = 10_000;

interface Waiter {
  readonly bytes: number;
  readonly enter: () => void;
}

/** A budget of bytes that callers share. Callers get their bytes in the order of arrival. */
export class ByteBudget {
  private readonly queue: Waiter[] = [];

  constructor(private free: number) {}

  /** @throws OverloadedError if the bytes are not free within MAX_WAIT */
  acquire(bytes: number): Promise<void> {
    if (this.queue.length === 0 && this.free >= bytes) {
      this.free -= bytes;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(new OverloadedError('body'));
        this.admit();
      }, MAX_WAIT);
      const waiting: Waiter = {
        bytes,
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.queue.push(waiting);
    });
  }

  release(bytes: number): void {
    this.free += bytes;
    this.admit();
  }

  private admit(): void {
    for (let next = this.queue[0]; next !== undefined && next.bytes <= this.free; next = this.queue[0]) {
      this.queue.shift();
      this.free -= next.bytes;
      next.enter();
    }
  }
}

const BODIES = new ByteBudget(BUDGET);

/** The part of a budget that one request has until `end` is called. */
export class ByteLease {
  private held = 0;
  private isOver = false;

  constructor(private readonly budget: ByteBudget = BODIES) {}

  /** @throws OverloadedError if the bytes are not free within MAX_WAIT */
  async acquire(bytes: number): Promise<void> {
    await this.budget.acquire(bytes);
    this.held += bytes;
    if (this.isOver) this.keep(0);
  }

  /** Releases all but `bytes`. */
  keep(bytes: number): void {
    const excess = this.held - bytes;
    if (excess <= 0) return;
    this.held = bytes;
    this.budget.release(excess);
  }

  end(): void {
    this.isOver = true;
    this.keep(0);
  }
}
