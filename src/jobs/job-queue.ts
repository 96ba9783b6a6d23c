import {
  type LogFunctionFactory,
  Logger,
  run,
  runMigrations,
  type Runner,
  type RunnerOptions,
} from 'graphile-worker';
import type pg from 'pg';
import type { Logger as Pino } from 'pino';

/** Milliseconds. PostgreSQL notifies the queue of new jobs. Polling finds scheduled jobs that have become due. */
const POLL_INTERVAL = 10_000;

/**
 * Unlocks jobs that were locked over a minute ago. No job takes that long, so the worker that locked them has crashed.
 */
export const UNLOCK_STALE_JOBS = `
  select formtrail_queue.force_unlock_workers(array_agg(distinct locked_by)) from formtrail_queue.jobs
   where locked_at < now() - interval '1 minute' having count(*) > 0`;

interface JobQueueOptions extends Pick<RunnerOptions, 'taskList' | 'concurrency' | 'forbiddenFlags'> {
  readonly pool: pg.Pool;
  readonly logger: Pino;
  /** The context of log lines. */
  readonly context: string;
}

/** Creates or updates the schema of the queue, then runs jobs until the runner is stopped or loses the database. */
export async function runJobs({ pool, logger, context, ...options }: JobQueueOptions): Promise<Runner> {
  const queue = {
    pgPool: pool,
    schema: 'formtrail_queue',
    logger: new Logger(logTo(logger, context)),
    gracefulShutdownAbortTimeout: 1_000,
  };
  await runMigrations(queue);
  await pool.query(UNLOCK_STALE_JOBS);
  return run({
    ...queue,
    ...options,
    pollInterval: POLL_INTERVAL,
    noHandleSignals: true,
    // Without this, graphile-worker would read the file `crontab` in the working directory.
    parsedCronItems: [],
  });
}

/** graphile-worker logs only its own state. Tasks log the outcome of their jobs. */
function logTo(logger: Pino, context: string): LogFunctionFactory {
  return () => (level, message) => {
    if ((level as string) !== 'error') logger.debug({ context }, message);
    else
      logger.warn(
        { context, reason: message },
        'The webhook queue has a problem and will retry. If this lasts, check the database.',
      );
  };
}
