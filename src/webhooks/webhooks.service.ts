import { setTimeout as sleep } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Runner } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from 'pino';
import { type Environment, StartError } from '../config/environment.js';
import type { Connection, OpenDatabase } from '../database/connection.js';
import { requireOneServer } from '../database/distribution/shards.js';
import { runJobs, UNLOCK_STALE_JOBS } from '../jobs/job-queue.js';
import { repeat } from '../jobs/repeat.js';
import { closeAll } from '../process/close-all.js';
import { CLOSING_FAILED, CONNECTION_LOST } from '../process/logging.js';
import { type InSpan, withoutSpan } from '../tracing/in-span.js';
import type { Tracing } from '../tracing/open-telemetry.js';
import { Deliveries } from './deliveries.js';
import { EndpointShare } from './endpoint-share.js';
import { relay } from './relay.js';
import { parseWebhookKey } from './secret.js';
import { Sender } from './sender.js';
import { UndecryptableEndpoints } from './undecryptable-endpoints.js';
import { webhookKeyOf } from './webhook-key.js';
import { OUTBOX_STATE } from './webhook.statements.js';

/** Maximum number of concurrent attempts. One endpoint may have a quarter of them ({@link EndpointShare}). */
const CONCURRENCY = 32;

/**
 * Maximum number of connections in `pool`. One connection listens for jobs. A job uses a
 * connection only for its statements.
 */
const CONNECTIONS = 5;

/** Statements must use an index, because a plan that was made for few rows would sort the whole backlog each time. */
const BY_INDEX = '-c enable_sort=off -c enable_bitmapscan=off -c jit=off';

/** The actor in the audit log if an endpoint is disabled because it fails. */
const ACTOR = '-c formtrail.actor=webhooks';

/** Milliseconds between two searches for jobs of crashed workers. */
const UNLOCK_INTERVAL = 10_000;
const PAUSE_AFTER_FAULT = 5_000;

interface WebhooksDependencies {
  /** Bypasses any pooler, because the queue uses LISTEN. */
  readonly connection: Connection;
  readonly key: Buffer;
  /** Private networks that webhooks may be sent to. */
  readonly allow: readonly string[];
  readonly logger: Logger;
  readonly inSpan?: InSpan | undefined;
}

/** The resources of a running program that webhooks need. */
interface Program {
  readonly environment: Environment;
  readonly database: OpenDatabase;
  readonly logger: Logger;
  readonly tracing: Tracing | undefined;
}

/** Numbers of pending events and deliveries, each counted up to 10,000. */
export interface OutboxState {
  /** Events that are not yet turned into deliveries. */
  readonly events: number;
  /** Pending deliveries. */
  readonly deliveries: number;
  readonly oldest_pending_seconds: number;
  /**
   * Seconds that the oldest due webhook has waited for a process. Excludes webhooks of failing or disabled endpoints.
   */
  readonly oldest_due_seconds: number;
  readonly disabled_endpoints: number;
}

/**
 * Delivers the webhooks of the outbox from `start` to `close`. Resumes after the connection to the database was lost.
 */
export class Webhooks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly undecryptable: UndecryptableEndpoints;
  readonly deliveries: Deliveries;
  private readonly logger: Logger;
  private readonly sender: Sender;
  /** Commits do not wait for the disk. If the database crashes and loses a commit, the delivery is attempted again. */
  private readonly pool: pg.Pool;
  /**
   * Commits wait for the disk. Otherwise the relay could repeat an event after a crash, and the webhook would get
   * another id.
   */
  private readonly durable: pg.Pool;
  private readonly stopping = new AbortController();
  private runner: Runner | undefined;
  private running: Promise<unknown> = Promise.resolve();

  constructor({ connection, key, allow, logger, inSpan = withoutSpan }: WebhooksDependencies) {
    this.logger = logger;
    this.pool = this.open(connection, CONNECTIONS, `${BY_INDEX} -c synchronous_commit=off`);
    this.durable = this.open(connection, 1, BY_INDEX);
    const { pool } = this;
    const sender = (this.sender = new Sender(allow));
    const undecryptable = (this.undecryptable = new UndecryptableEndpoints({ pool, key, logger }));
    this.deliveries = new Deliveries({ pool, sender, undecryptable, logger, inSpan });
  }

  /** @throws StartError if WEBHOOK_KEY is missing */
  static async of({ environment, database, logger, tracing }: Program): Promise<Webhooks> {
    return new Webhooks({
      connection: database.direct.connection,
      key: parseWebhookKey(await webhookKeyOf(environment)),
      allow: environment.webhookAllow,
      logger,
      inSpan: tracing?.inSpan,
    });
  }

  /**
   * @throws StartError if Citus distributes the submissions, WEBHOOK_KEY decrypts no endpoint's secret, or the database role lacks
   * rights
   * @throws Error if the queue cannot be created
   */
  async start(): Promise<this> {
    const query = async <Rows>(sql: string) => (await this.pool.query(sql)).rows as Rows;
    try {
      await requireOneServer({ query }, 'Webhooks', 'Set WEBHOOKS=off, and do not run "webhooks deliver".');
      await this.undecryptable.checkAtStart();
      await this.run();
    } catch (error) {
      await this.close();
      throw (error as { code?: string }).code === '42501' ? lacksRights(error as Error) : error;
    }
    const { durable, pool, logger, stopping } = this;
    this.running = Promise.all([
      this.keepRunning(),
      relay({ durable, pool, logger }, stopping.signal),
      this.undecryptable.watch(stopping.signal),
      // If the database is unavailable, the relay logs the error.
      repeat(UNLOCK_INTERVAL, () => pool.query(UNLOCK_STALE_JOBS), stopping.signal),
    ]);
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

  /** Aborts running attempts. Their deliveries are attempted again later. */
  async close(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort();
    await this.runner?.stop().catch(() => undefined);
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
    // graphile-worker stops listening for errors of a client that it still uses, and an error without a listener ends the
    // process. Therefore each client gets a listener that is never removed.
    return new pg.Pool(settings)
      .on('error', report)
      .on('connect', (client: pg.ClientBase) => void client.on('error', report));
  }

  private async run(): Promise<void> {
    const shares = new Map<string, EndpointShare>();
    this.runner = await runJobs({
      pool: this.pool,
      logger: this.logger,
      context: 'Webhooks',
      concurrency: CONCURRENCY,
      taskList: {
        deliver: async (payload, { job, abortSignal }) => {
          const { id } = payload as { id: string };
          const [endpoint = ''] = Object.keys(job.flags ?? {});
          const share = shares.get(endpoint) ?? new EndpointShare();
          shares.set(endpoint, share);
          await share.run(() => this.deliveries.attempt(id, abortSignal));
        },
      },
      forbiddenFlags: () => [
        ...[...shares].flatMap(([endpoint, { isFull }]) => (isFull ? endpoint : [])),
        ...this.undecryptable.flags,
      ],
    });
  }

  /** Restarts the runner each time the loss of the database has ended it. */
  private async keepRunning(): Promise<void> {
    const { signal } = this.stopping;
    const isStopping = () => signal.aborted;
    while (!isStopping()) {
      const error = await this.runner?.promise.then(() => undefined, String);
      if (isStopping()) return;
      this.logger.error(
        { context: 'Webhooks', reason: error },
        'Webhooks are not delivered. The service retries in 5 seconds. If this lasts, check the database.',
      );
      await sleep(PAUSE_AFTER_FAULT, undefined, { signal }).catch(() => undefined);
      if (!isStopping()) await this.run().catch(() => undefined);
    }
  }
}

function lacksRights({ message }: Error): StartError {
  return new StartError(
    `Only the role that runs migrations can deliver webhooks: ${message}. ` +
      'Connect as that role, or run "webhooks deliver" as it, and set WEBHOOKS=off here.',
  );
}
