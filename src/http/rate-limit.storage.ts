import type { ThrottlerStorage } from '@nestjs/throttler';

type Hit = Awaited<ReturnType<ThrottlerStorage['increment']>>;

interface Window {
  hits: number;
  readonly endsAt: number;
}

const CAPACITY = 100_000;

/**
 * Counts requests in windows of a fixed length, one for each key, beginning with its first request. It holds 100,000
 * windows; past that the oldest are forgotten, so that many addresses cost neither memory nor time.
 */
export class FixedWindowStorage implements ThrottlerStorage {
  // Windows are inserted as they begin and all last equally long, so the first ones are the first to end.
  private readonly windows = new Map<string, Window>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  increment(key: string, ttl: number, limit: number): Promise<Hit> {
    const now = this.now();
    let window = this.windows.get(key);
    if (window === undefined || window.endsAt <= now) {
      this.windows.delete(key);
      this.makeRoom(now);
      window = { hits: 0, endsAt: now + ttl };
      this.windows.set(key, window);
    }
    window.hits += 1;
    const secondsLeft = Math.ceil((window.endsAt - now) / 1000);
    const isBlocked = window.hits > limit;
    return Promise.resolve({
      totalHits: window.hits,
      timeToExpire: secondsLeft,
      isBlocked,
      timeToBlockExpire: isBlocked ? secondsLeft : 0,
    });
  }

  private makeRoom(now: number): void {
    for (const [key, window] of this.windows) {
      if (window.endsAt > now && this.windows.size < CAPACITY) return;
      this.windows.delete(key);
    }
  }
}
