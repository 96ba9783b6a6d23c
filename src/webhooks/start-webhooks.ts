import { setTimeout as sleep } from 'node:timers/promises';
import {
  type LogFunctionFactory,
  Logger,
  run,
  runMigrations,
  type Runner,
  type TaskList,
} from 'graphile-worker';
import pg from 'pg';
import type { Logger as Pino } from 'pino';
import { closeAfter, closeAll } from '../process/close-all.js';
import type { Connection } from '../database/connection.js';
import { CLOSING_FAILED, CONNECTION_LOST } from '../process/logging.js';
import { type InSpan, withoutSpan } from '../tracing/in-span.js';
import { Deliveries } from './deliveries.js';
import { EndpointShare } from './endpoint-share.js';
import { relay } from './relay.js';
import { Sender } from './sender.js';
import { UndecryptableEndpoints } from './undecryptable-endpoints.js';
import { FREE_THE_JOBS_OF_THE_DEAD, OUTBOX_STATE } from './webhook.statements.js';

/** Attempts at the same time; an {@link EndpointShare} is a quarter of them. */
const CONCURRENCY = 32;

/** Connections, one of them to listen: a job has one only for its statements. Another one relays. */
const CONNECTIONS = 5;

/** What waits is read by its index: planned while that was little, a statement would sort all of it each time. */
const BY_INDEX = '-c enable_sort=off -c enable_bitmapscan=off -c jit=off';

/** The audit log says so where an endpoint is disabled because it fails. */
const ACTOR = '-c formtrail.actor=webhooks';

/** Milliseconds. New jobs are heard of; this is for those whose time has come. */
const POLL_INTERVAL = 10_000;
const PAUSE_AFTER_FAULT = 5_000;

interface Parts {
  /** Past any pooler: the queue listens. */
  readonly connection: Connection;
  readonly key: Buffer;
  /** Networks that may be sent to though they are not of the internet. */
  readonly allow: readonly string[];
  readonly logger: Pino;
  readonly inSpan?: InSpan | undefined;
}

/** What waits to be delivered. Counts end at 10,000. */
export interface OutboxState {
  /** That no process has taken over. */
  readonly events: number;
  /** That are still to be attempted. */
  readonly deliveries: number;
  readonly oldest_pending_seconds: number;
  /** How long something has waited for a process that delivers; endpoints that fail left out. */
  readonly oldest_due_seconds: number;
  readonly disabled_endpoints: number;
}

export interface Webhooks {
  readonly deliveries: Pick<Deliveries, 'counts' | 'disabledEndpoints'>;
  readonly undecryptable: Pick<UndecryptableEndpoints, 'count'>;
  /** Undefined where there is no endpoint. */
  readonly outbox: () => Promise<OutboxState | undefined>;
  /** Ends attempts that are under way, which come again. */
  readonly close: () => Promise<void>;
}

/**
 * Delivers what is in the outbox until it is closed, however often the database is lost meanwhile.
 *
 * @throws StartError where `key` decrypts no endpoint's secret
 * @throws Error where the queue cannot be made
 */
export async function startWebhooks({
  connection,
  key,
  allow,
  logger,
  inSpan = withoutSpan,
}: Parts): Promise<Webhooks> {
  const open = (max: number, options: string) => {
    const settings = {
      ...connection,
      max,
      options: `${options} ${ACTOR}`,
      application_name: 'formtrail-webhooks',
      keepAlive: true,
    };
    const report = (error: Error) => {
      logger.warn({ context: 'Webhooks', reason: error.message }, CONNECTION_LOST);
    };
    // graphile-worker stops listening for errors of a client that it still uses, and an error without a listener ends the
    // process. The listener of each client therefore stays as long as the client.
    return new pg.Pool(settings)
      .on('error', report)
      .on('connect', (client: pg.ClientBase) => void client.on('error', report));
  };
  // What a crash of the database forgets is done again, so that nothing waits for the disk; but for what was relayed, which
  // would get other ids.
  const pool = open(CONNECTIONS, `${BY_INDEX} -c synchronous_commit=off`);
  const durable = open(1, BY_INDEX);
  const sender = new Sender(allow);
  const undecryptable = new UndecryptableEndpoints({ pool, key, logger });
  const deliveries = new Deliveries({ pool, sender, undecryptable, logger, inSpan });
  const start = () => startRunner(pool, deliveries, undecryptable, logger);
  const stopping = new AbortController();
  const closing = [() => sender.close(), () => pool.end(), () => durable.end()];
  const report = (error: unknown) => logger.warn({ context: 'Webhooks', err: error }, CLOSING_FAILED);
  let runner: Runner;
  try {
    await undecryptable.lookAtStart();
    runner = await start();
  } catch (error) {
    for (const second of await closeAll(closing)) report(second);
    throw error;
  }
  const isStopping = () => stopping.signal.aborted;
  const goOn = async () => {
    while (!isStopping()) {
      const error = await runner.promise.then(() => undefined, String);
      if (isStopping()) return;
      logger.error(
        { context: 'Webhooks', reason: error },
        'Webhooks are not delivered. Delivery starts again in 5 seconds; if this lasts, check the database.',
      );
      await sleep(PAUSE_AFTER_FAULT, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!isStopping()) runner = await start().catch(() => runner);
    }
  };
  const running = Promise.all([
    goOn(),
    relay({ durable, pool, logger }, stopping.signal),
    undecryptable.watch(stopping.signal),
  ]);
  return {
    deliveries,
    undecryptable,
    outbox: async () => (await pool.query<OutboxState>(OUTBOX_STATE)).rows[0],
    close: () => {
      const stop = async () => {
        stopping.abort();
        await runner.stop().catch(() => undefined);
        await running;
      };
      return closeAfter(stop, closing, report);
    },
  };
}

async function startRunner(
  pool: pg.Pool,
  deliveries: Deliveries,
  undecryptable: UndecryptableEndpoints,
  logger: Pino,
): Promise<Runner> {
  const shares = new Map<string, EndpointShare>();
  const taskList: TaskList = {
    deliver: async (payload, { job, abortSignal }) => {
      const { id } = payload as { id: string };
      const [endpoint = ''] = Object.keys(job.flags ?? {});
      const share = shares.get(endpoint) ?? new EndpointShare();
      shares.set(endpoint, share);
      await share.run(() => deliveries.attempt(id, abortSignal));
    },
    free_jobs: async () => {
      await pool.query(FREE_THE_JOBS_OF_THE_DEAD);
    },
  };
  const options = {
    pgPool: pool,
    schema: 'formtrail_queue',
    logger: new Logger(logTo(logger)),
    gracefulShutdownAbortTimeout: 1_000,
  };
  await runMigrations(options);
  await pool.query(FREE_THE_JOBS_OF_THE_DEAD);
  return run({
    ...options,
    taskList,
    crontab: '* * * * * free_jobs ?jobKey=free_jobs&max=1',
    concurrency: CONCURRENCY,
    pollInterval: POLL_INTERVAL,
    noHandleSignals: true,
    forbiddenFlags: () => [
      ...[...shares].flatMap(([endpoint, { isTaken }]) => (isTaken ? endpoint : [])),
      ...undecryptable.flags,
    ],
  });
}

/** What it has to say is of its own workings: an attempt that failed is told of by {@link Deliveries}. */
function logTo(logger: Pino): LogFunctionFactory {
  return () => (level, message) => {
    if ((level as string) !== 'error') logger.debug({ context: 'Webhooks' }, message);
    else
      logger.warn(
        { context: 'Webhooks', reason: message },
        'The queue of webhooks has a problem, and goes on by itself. Check the database if this lasts.',
      );
  };
}
