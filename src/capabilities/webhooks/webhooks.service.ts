import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import { StartError } from '../../config/start-error.js';
import type { Connection } from '../../database/connection.js';
import { isReadOnly } from '../../database/database-errors.js';
import { requireOneServer } from '../../database/distribution.js';
import { closeAll } from '../../process/close-all.js';
import { CLOSING_FAILED, CONNECTION_LOST } from '../../process/logging.js';
import type { InSpan } from '../../process/in-span.js';
import type { Program } from '../../server/program.js';
import { Deliverer } from './deliverer.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { parseWebhookKey } from './secret.js';
import { Sender } from './sender.js';
import type { WebhookSettings } from './settings.js';
import { UndecryptableEndpoints } from './undecryptable-endpoints.js';
import { webhookKeyOf } from './webhook-key.js';
import { measureDeliveries, type OutboxState } from './webhook-metrics.js';
import { OUTBOX_STATE, RELAY } from './webhook.statements.js';

/** Maximum number of connections in `pool`. An attempt uses a connection only for its statements. */
const CONNECTIONS = 4;

/** Statements must use an index, because a plan that was made for few rows would sort the whole backlog each time. */
const BY_INDEX = '-c enable_sort=off -c enable_bitmapscan=off -c jit=off';

/** The actor in the audit log if an endpoint is disabled because it fails. */
const ACTOR = '-c formtrail.actor=webhooks';

interface WebhooksDependencies {
  /** Bypasses any pooler, because statements are prepared and the connections have settings. */
  readonly connection: Connection;
  readonly key: Buffer;
  /** Private networks that webhooks may be sent to. */
  readonly allow: readonly string[];
  readonly logger: Logger;
  readonly inSpan: InSpan;
}

/**
 * Delivers the webhooks of the outbox from `start` to `close`. Resumes after the connection to the database was lost.
 */
export class Webhooks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly undecryptable: UndecryptableEndpoints;
  readonly attempts: DeliveryAttempts;
  private readonly logger: Logger;
  private readonly sender: Sender;
  /** With `synchronous_commit = off`. If the database crashes and loses a commit, the delivery is attempted again. */
  private readonly pool: pg.Pool;
  /** With `synchronous_commit = on`. */
  private readonly durable: pg.Pool;
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor({ connection, key, allow, logger, inSpan }: WebhooksDependencies) {
    this.logger = logger;
    this.pool = this.open(connection, CONNECTIONS, `${BY_INDEX} -c synchronous_commit=off`);
    this.durable = this.open(connection, 1, BY_INDEX);
    const { pool } = this;
    const sender = (this.sender = new Sender(allow));
    const undecryptable = (this.undecryptable = new UndecryptableEndpoints({ pool, key, logger }));
    this.attempts = new DeliveryAttempts({ pool, sender, undecryptable, logger, inSpan });
  }

  /** @throws StartError if WEBHOOK_KEY is missing */
  static async of({ environment, database, logger, inSpan, measurements }: Program): Promise<Webhooks> {
    const settings = environment.of<WebhookSettings>();
    const webhooks = new Webhooks({
      connection: database.direct.connection,
      key: parseWebhookKey(await webhookKeyOf(settings)),
      allow: settings.webhookAllow,
      logger,
      inSpan,
    });
    measureDeliveries(measurements, webhooks.attempts, webhooks.undecryptable);
    return webhooks;
  }

  /**
   * @throws StartError if the submissions are distributed, WEBHOOK_KEY decrypts no endpoint's secret, or the database role lacks
   * rights
   */
  async start(): Promise<this> {
    const query = async <Rows>(sql: string) => (await this.pool.query(sql)).rows as Rows;
    try {
      await requireOneServer({ query }, 'Webhooks', 'Set WEBHOOKS=off, and do not run "webhooks deliver".');
      await this.undecryptable.checkAtStart();
      // Without the rights for its statements, the program must not start. A read-only server checks no rights: it becomes the primary, or
      // the connection is lost.
      await this.durable.query({ ...RELAY, values: [0] }).catch((error: unknown) => {
        if (!isReadOnly(error)) throw error;
      });
    } catch (error) {
      await this.close();
      throw (error as { code?: string }).code === '42501' ? lacksRights(error as Error) : error;
    }
    const { durable, pool, attempts, undecryptable, logger, stopping } = this;
    const deliverer = new Deliverer({ durable, pool, attempts, undecryptable, logger });
    this.running = Promise.all([deliverer.deliver(stopping.signal), undecryptable.watch(stopping.signal)]);
    return this;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Returns undefined if there is no endpoint. */
  readonly outbox = async (): Promise<OutboxState | undefined> =>
    (await this.pool.query<OutboxState>(OUTBOX_STATE)).rows[0];

  /** Aborts attempts that do not end within a second. Their deliveries are attempted again later. */
  async close(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort();
    await this.running;
    const closing = [() => this.sender.close(), () => this.pool.end(), () => this.durable.end()];
    for (const err of await closeAll(closing)) this.logger.warn({ context: 'Webhooks', err }, CLOSING_FAILED);
  }

  private open(connection: Connection, max: number, options: string): pg.Pool {
    const settings = {
      ...connection,
      max,
      options: `${options} ${ACTOR}`,
      application_name: 'formtrail-webhooks',
      keepAlive: true,
    };
    const report = (error: Error) => {
      this.logger.warn({ context: 'Webhooks', reason: error.message }, CONNECTION_LOST);
    };
    return new pg.Pool(settings).on('error', report);
  }
}

function lacksRights({ message }: Error): StartError {
  return new StartError(
    `Only the role that runs migrations can deliver webhooks: ${message}. ` +
      'Connect as that role, or run "webhooks deliver" as it, and set WEBHOOKS=off here.',
  );
}
