import { Redis, ReplyError } from 'ioredis';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Logger } from 'pino';
import { FixedWindowStorage, type Hit, hitOf } from './rate-limit.storage.js';

const PREFIX = 'formtrail:limit:';
const ANSWER_WITHIN = 50;
const CONNECT_WITHIN = 500;
const PROBE_EVERY = 500;

/** One step, so that no replica sees a window without an end. A key without one would be there for ever. */
const COUNT = `
local hits = redis.call('incr', KEYS[1])
local timeLeft = redis.call('pttl', KEYS[1])
if timeLeft < 0 then
  timeLeft = tonumber(ARGV[1])
  redis.call('pexpire', KEYS[1], timeLeft)
end
return {hits, timeLeft}`;

/**
 * Counts the requests of all instances in one Redis or Valkey. While it gives no answer within 50 milliseconds, this
 * instance counts for itself: no request fails or waits because of it.
 */
export class RedisWindowStorage implements ThrottlerStorage {
  private readonly local = new FixedWindowStorage();
  /** There while hits are counted with it. */
  private client: Redis | undefined;
  private lost = false;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly url: string,
    private readonly logger: Logger,
  ) {}

  get connected(): boolean {
    return this.client !== undefined;
  }

  /** Resolves after the first attempt, half a second at most, successful or not; later ones go on by themselves. */
  async start(): Promise<void> {
    let failure: Error | undefined;
    const client = new Redis(this.url, {
      lazyConnect: true,
      connectTimeout: CONNECT_WITHIN,
      disconnectTimeout: ANSWER_WITHIN,
      disableClientInfo: true,
      enableReadyCheck: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      // Every attempt is a client of its own.
      retryStrategy: () => null,
    });
    client.on('error', (error) => {
      failure ??= error;
      this.lose(client, error);
    });
    client.on('end', () => {
      this.lose(client, new Error('the server closed the connection'));
    });
    try {
      await client.connect();
      await probe(client);
      // What the server has refused of the URL, its credentials or database, it does not say here.
      if (failure !== undefined) throw failure;
    } catch (error) {
      client.disconnect();
      this.retry(failure ?? error);
      return;
    }
    if (this.closed) {
      client.disconnect();
      return;
    }
    this.client = client;
    if (this.lost) this.logger.info({ context: 'RateLimit' }, 'rate limits are counted in Redis again');
    this.lost = false;
    this.probeLater(client);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.client?.disconnect();
    this.client = undefined;
  }

  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    kind: string,
  ): Promise<Hit> {
    const { client } = this;
    if (client !== undefined) {
      try {
        const [hits, timeLeft] = await countIn(client, `${kind}:${key}`, ttl);
        return hitOf(hits, timeLeft, limit);
      } catch (error) {
        this.lose(client, error);
      }
    }
    return this.local.increment(key, ttl, limit, blockDuration, kind);
  }

  /** Notices a server that says nothing before a request has to, and keeps an idle connection open. */
  private probeLater(client: Redis): void {
    this.timer = setTimeout(() => {
      probe(client).then(
        () => {
          if (this.client === client) this.probeLater(client);
        },
        (error: unknown) => {
          this.lose(client, error);
        },
      );
    }, PROBE_EVERY).unref();
  }

  private lose(client: Redis, why: unknown): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearTimeout(this.timer);
    client.disconnect();
    this.retry(why);
  }

  private retry(why: unknown): void {
    if (this.closed) return;
    if (!this.lost) {
      this.logger.warn(
        { context: 'RateLimit' },
        `rate limits are counted by each instance for itself: ${reasonOf(why)}`,
      );
    }
    this.lost = true;
    this.timer = setTimeout(() => void this.start(), PROBE_EVERY).unref();
  }
}

/** Does what a hit does, because a server that is read-only or out of memory answers a mere PING. */
async function probe(client: Redis): Promise<void> {
  await countIn(client, 'probe', PROBE_EVERY);
}

function countIn(client: Redis, key: string, ttl: number): Promise<[hits: number, timeLeft: number]> {
  return new Promise((resolve, reject) => {
    const answer = client.eval(COUNT, 1, PREFIX + key, ttl) as Promise<[number, number]>;
    const giveUpAt = performance.now() + ANSWER_WITHIN;
    const waitOn = () => {
      const timeLeft = giveUpAt - performance.now();
      // A timer counts from when the event loop came round last, which in a busy process is long before now.
      if (timeLeft > 0) timer = setTimeout(waitOn, timeLeft);
      // Timers come before sockets: an answer may be there that this process was too busy to read.
      else setImmediate(reject, new Error(`no answer within ${ANSWER_WITHIN} ms`));
    };
    let timer = setTimeout(waitOn, ANSWER_WITHIN);
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}

function reasonOf(error: unknown): string {
  const { message, code, command } = error as NodeJS.ErrnoException & { command?: { name: string } };
  // Some servers repeat the password that they refuse.
  if (error instanceof ReplyError && command?.name === 'auth')
    return 'it refuses the credentials of REDIS_URL';
  return message || String(code);
}
