import { Redis, ReplyError } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { FixedWindowStorage, type Hit, hitOf, type WindowStorage } from './rate-limit.storage.js';

// The constants below are in milliseconds.
const REPLY_TIMEOUT = 50;
const CONNECT_TIMEOUT = 500;
const RECONNECT_DELAY = 500;
const PROBE_INTERVAL = 500;

/**
 * Counts the requests of all instances in one Redis or Valkey. If Redis does not reply within 50 milliseconds, this
 * instance counts its own requests, so that no request fails or waits.
 */
export class RedisWindowStorage implements WindowStorage {
  private readonly local = new FixedWindowStorage();
  private readonly redis: Redis;
  private readonly limiter: RateLimiterRedis;
  private state: 'starting' | 'shared' | 'local' | 'closed' = 'starting';
  private losses = 0;
  private probing: NodeJS.Timeout | undefined;

  constructor(
    url: string,
    private readonly logger: Logger,
  ) {
    this.redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: CONNECT_TIMEOUT,
      // The timeout of a handshake. Hits have a shorter deadline.
      commandTimeout: CONNECT_TIMEOUT,
      disconnectTimeout: REPLY_TIMEOUT,
      retryStrategy: () => RECONNECT_DELAY,
      disableClientInfo: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
    });
    this.redis.on('error', (error) => {
      this.lose(error);
      // If Redis rejects the database of the URL, ioredis would continue in database 0.
      if (error instanceof ReplyError) this.redis.disconnect(true);
    });
    this.redis.on('close', () => {
      this.lose(new Error('the server closed the connection'));
    });
    this.limiter = new RateLimiterRedis({
      storeClient: this.redis,
      rejectIfRedisNotReady: true,
      keyPrefix: 'formtrail:limit',
      // There is no limit here, because the throttler passes its limit with each hit.
      points: Number.MAX_SAFE_INTEGER,
      duration: 60,
    });
  }

  /** Whether the last hit or probe was counted in Redis. */
  get connected(): boolean {
    return this.state === 'shared';
  }

  /**
   * Resolves after the first attempt to connect, even if that attempt fails, within about a second. Further attempts
   * run in the background.
   */
  async start(): Promise<void> {
    // The `error` event reports the reason.
    await this.redis.connect().catch(() => undefined);
    await this.probe();
    this.probing = setInterval(() => void this.probe(), PROBE_INTERVAL).unref();
  }

  close(): void {
    this.state = 'closed';
    clearInterval(this.probing);
    this.redis.disconnect();
  }

  /** Rounds `ttl`, in milliseconds, up to whole seconds. */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    kind: string,
  ): Promise<Hit> {
    const result = await this.consume(`${kind}:${key}`, ttl);
    return result === undefined
      ? this.local.increment(key, ttl, limit, blockDuration, kind)
      : hitOf(result.consumedPoints, result.msBeforeNext, limit);
  }

  async hitsOf(key: string, kind: string): Promise<number> {
    const result = await this.inRedis(() => this.limiter.get(`${kind}:${key}`));
    return result === undefined ? this.local.hitsOf(key, kind) : (result?.consumedPoints ?? 0);
  }

  private consume(key: string, ttl: number): Promise<RateLimiterRes | undefined> {
    return this.inRedis(() => this.limiter.consume(key, 1, { customDuration: Math.ceil(ttl / 1000) }));
  }

  /** Returns undefined if the command fails. The limiter's own `insuranceLimiter` is unused, because it would hide the error. */
  private async inRedis<T>(command: () => Promise<T>): Promise<T | undefined> {
    const { losses } = this;
    try {
      const result = await withTimeout(command());
      // An abandoned connection may still deliver replies, which do not show that Redis is available again.
      if (losses === this.losses) this.recover();
      return result;
    } catch (error) {
      this.lose(error);
      return undefined;
    }
  }

  /**
   * Detects the loss of Redis before a request does. Counts a hit, because a server that is read-only or out of memory still
   * replies to PING. Reconnects if the hit fails, because another server may have taken over the address.
   */
  private async probe(): Promise<void> {
    const result = await this.consume('probe', 1000);
    if (result === undefined && this.redis.status === 'ready') this.redis.disconnect(true);
  }

  private recover(): void {
    if (this.state === 'local')
      this.logger.info({ context: 'RateLimit' }, 'Rate limits are counted in Redis again.');
    if (this.state !== 'closed') this.state = 'shared';
  }

  private lose(why: unknown): void {
    if (this.state === 'local' || this.state === 'closed') return;
    this.state = 'local';
    this.losses += 1;
    // Until Redis is connected again, hits are counted locally without waiting.
    this.redis.disconnect(true);
    this.logger.warn(
      { context: 'RateLimit', reason: reasonOf(why) },
      'Rate limits cannot be counted in Redis, so each instance counts its own requests. No request fails. Check Redis and REDIS_URL.',
    );
  }
}

/**
 * Settles as `reply` does, but rejects after 50 milliseconds. The timeouts of ioredis and the limiter use plain
 * timers, so a busy process would treat Redis as lost.
 */
function withTimeout<T>(reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUpAt = performance.now() + REPLY_TIMEOUT;
    const waitOn = () => {
      const timeLeft = giveUpAt - performance.now();
      // Node.js measures a timer from the start of the current turn of the event loop, which may be long ago in a busy process.
      if (timeLeft > 0) timer = setTimeout(waitOn, timeLeft);
      // Timers run before sockets are read, so a reply may be waiting in the socket.
      else setImmediate(reject, new Error(`no reply within ${REPLY_TIMEOUT} ms`));
    };
    let timer = setTimeout(waitOn, REPLY_TIMEOUT);
    reply.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}

function reasonOf(error: unknown): string {
  const { message, code, command } = error as NodeJS.ErrnoException & { command?: { name: string } };
  // Some servers repeat the password that they reject.
  if (error instanceof ReplyError && command?.name === 'auth')
    return 'it rejects the credentials of REDIS_URL';
  // This error of ioredis does not contain the length of the timeout.
  if (message === 'Command timed out') return `no reply within ${CONNECT_TIMEOUT} ms`;
  return message || String(code);
}
