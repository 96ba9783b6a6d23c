import type { ThrottlerStorage } from '@nestjs/throttler';
import { WindowTable } from './rate-limit.windows.js';

/**
 * A request is counted for the user of its token, or for its IP address (E5). `look_up` counts look-ups of invalid tokens from addresses that are over their limit.
 */
export type RateLimitKind = 'user' | 'address' | 'look_up';

/** Length of a window in milliseconds. */
export const MINUTE = 60_000;

export interface WindowStorage extends ThrottlerStorage {
  /** Returns the number of hits of this key in its window. Does not count a hit. */
  hitsOf(key: string, kind: string): Promise<number>;
}

export type Hit = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Returns the result of hit number `hits` in a window that ends in `timeLeft` milliseconds. */
export function hitOf(hits: number, timeLeft: number, limit: number): Hit {
  const secondsLeft = Math.max(1, Math.ceil(timeLeft / 1000));
  const isBlocked = hits > limit;
  return {
    totalHits: hits,
    timeToExpire: secondsLeft,
    isBlocked,
    timeToBlockExpire: isBlocked ? secondsLeft : 0,
  };
}

/**
 * Counts requests in this process. Each kind of key has its own table, so that a flood of keys of one kind evicts no
 * keys of the other kind.
 */
export class FixedWindowStorage implements WindowStorage {
  private readonly tables = new Map<string, WindowTable>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  increment(key: string, ttl: number, limit: number, _blockDuration: number, kind: string): Promise<Hit> {
    let table = this.tables.get(kind);
    if (table === undefined) this.tables.set(kind, (table = new WindowTable()));
    const { hits, timeLeft } = table.hit(key, ttl, this.now());
    return Promise.resolve(hitOf(hits, timeLeft, limit));
  }

  hitsOf(key: string, kind: string): Promise<number> {
    return Promise.resolve(this.tables.get(kind)?.hitsOf(key, this.now()) ?? 0);
  }
}
