import { OverloadedError } from '../../database/database-errors.js';

/**
 * Bytes of large bodies that the process works on at a time. It needs four to five times as much memory for them. As many
 * bodies for one submission are written one after the other within the 2 seconds that a write may wait.
 */
const BUDGET = 4 * 1_048_576;
/** Milliseconds that a client waits until its body is read. */
const LONGEST_WAIT = 10_000;

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

/** Bytes that callers share, given in the order of arrival. */
export class ByteBudget {
  private readonly queue: Waiting[] = [];

  constructor(private free: number) {}

  /** @throws OverloadedError if it takes too long */
  take(bytes: number): Promise<void> {
    if (this.queue.length === 0 && this.free >= bytes) {
      this.free -= bytes;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(new OverloadedError());
        this.admit();
      }, LONGEST_WAIT);
      const waiting: Waiting = {
        bytes,
        enter: () => {
          clearTimeout(late);
          resolve();
        },
      };
      this.queue.push(waiting);
    });
  }

  giveBack(bytes: number): void {
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

/** The part of a budget that one request holds until `end`. */
export class BodyLease {
  private held = 0;
  private isOver = false;

  constructor(private readonly budget: ByteBudget = BODIES) {}

  /** As {@link ByteBudget.take}. */
  async take(bytes: number): Promise<void> {
    await this.budget.take(bytes);
    this.held += bytes;
    if (this.isOver) this.keep(0);
  }

  /** Gives back all but so many bytes. */
  keep(bytes: number): void {
    const excess = this.held - bytes;
    if (excess <= 0) return;
    this.held = bytes;
    this.budget.giveBack(excess);
  }

  end(): void {
    this.isOver = true;
    this.keep(0);
  }
}
