import { EventEmitter } from 'node:events';
import { Logger } from '@nestjs/common';
import pg from 'pg';

const CHANNEL = 'formtrail';
/** Milliseconds between two probes. All constants below are in milliseconds too. */
const PROBE_INTERVAL = 500;
/**
 * If no probe succeeds for this time, the connection is treated as lost, because a half-open socket reports nothing.
 */
const SILENCE_TIMEOUT = 2_000;
const FIRST_RETRY = 100;
const LAST_RETRY = 2_000;

interface Changes {
  /** The content of the form with this id has changed, or the form was deleted. */
  form: [id: number];
  /** The token with this SHA-256 (hexadecimal) was revoked, changed or deleted. */
  token: [hash: string];
  /** A row that only a capability reads has changed. The capability's trigger names its kind and the row. */
  [changed: `changed ${string}`]: [row: string];
  /** Changes may have been missed. Caches must be cleared. */
  lost: [];
}

/** Emits an event when any program commits a change of a form or a token, or a change that a capability listens for (F9). The listener has its own connection. */
export class ChangeListener extends EventEmitter<Changes> {
  private readonly logger = new Logger('ChangeListener');
  private client: pg.Client | undefined;
  private lastHeard = 0;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;
  private retryAfter = FIRST_RETRY;

  constructor(private readonly connection: pg.ClientConfig) {
    super();
    this.setMaxListeners(0);
  }

  /** Whether the listener receives changes. If false, changes may have been missed. */
  get hearing(): boolean {
    return this.client !== undefined && performance.now() - this.lastHeard < SILENCE_TIMEOUT;
  }

  /**
   * Resolves after the first attempt to connect, even if that attempt fails. Further attempts follow in the
   * background.
   */
  async start(): Promise<void> {
    const client = new pg.Client({
      ...this.connection,
      application_name: 'formtrail-listener',
      keepAlive: true,
      connectionTimeoutMillis: SILENCE_TIMEOUT,
      query_timeout: SILENCE_TIMEOUT,
    });
    client.on('notification', ({ payload }) => {
      this.announce(payload ?? '');
    });
    client.on('error', (error) => {
      this.lose(client, error.message);
    });
    client.on('end', () => {
      this.lose(client, 'the server closed the connection');
    });
    try {
      await client.connect();
      await requirePrimary(client);
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      void client.end().catch(() => undefined);
      this.retry((error as Error).message);
      return;
    }
    if (this.closed) return void client.end().catch(() => undefined);
    this.client = client;
    this.lastHeard = performance.now();
    if (this.retryAfter > FIRST_RETRY)
      this.logger.log('The service receives changes to forms and tokens again.');
    this.retryAfter = FIRST_RETRY;
    // Changes that were committed before `listen` have been missed.
    this.emit('lost');
    this.timer = setTimeout(() => void this.probe(client), PROBE_INTERVAL).unref();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    const client = this.client;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  private announce(payload: string): void {
    const [what, which = ''] = payload.split(' ');
    if (what === 'form') this.emit('form', Number(which));
    else if (what === 'token') this.emit('token', which);
    else if (!this.emit(`changed ${what}`, which)) this.emit('lost');
  }

  private async probe(client: pg.Client): Promise<void> {
    const sentAt = performance.now();
    try {
      await requirePrimary(client);
    } catch (error) {
      this.lose(client, (error as Error).message);
      return;
    }
    if (this.client !== client) return;
    // The response proves that the listener has received every change that was committed before the query.
    this.lastHeard = sentAt;
    this.timer = setTimeout(() => void this.probe(client), PROBE_INTERVAL).unref();
  }

  private lose(client: pg.Client, why: string): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearTimeout(this.timer);
    this.emit('lost');
    void client.end().catch(() => undefined);
    this.retry(why);
  }

  private retry(why: string): void {
    if (this.closed) return;
    if (this.retryAfter === FIRST_RETRY) {
      this.logger.warn({
        reason: why,
        msg:
          'The service cannot listen for changes to forms and tokens, so each request reads the database. It keeps trying to ' +
          'connect. If this lasts, set DATABASE_DIRECT_URL to a URL that bypasses any pooler.',
      });
    }
    this.timer = setTimeout(() => void this.start(), this.retryAfter).unref();
    this.retryAfter = Math.min(this.retryAfter * 2, LAST_RETRY);
  }
}

/**
 * Throws if the server is read-only. Such a server sends no notifications, because another server commits all changes.
 */
async function requirePrimary(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('the server is read-only');
}
