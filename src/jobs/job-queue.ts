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

/** Milliseconds. The queue is notified of new jobs; polling is for jobs whose time has come. */
const POLL_INTERVAL = 10_000;

/** No job takes longer than a minute, so the worker that locked these has crashed. */
export const UNLOCK_STALE_JOBS = `
  select formtrail_queue.force_unlock_workers(array_agg(distinct locked_by)) from formtrail_queue.jobs
   where locked_at < now() - interval '1 minute' having count(*) > 0`;

interface JobQueueOptions extends Pick<RunnerOptions, 'taskList' | 'concurrency' | 'forbiddenFlags'> {
  readonly pool: pg.Pool;
  readonly logger: Pino;
  /** For the log: whose jobs these are. */
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
    // Otherwise the file `crontab` of the working directory is read.
    parsedCronItems: [],
  });
}

/** graphile-worker logs its own state only. Tasks log what became of their jobs. */
function logTo(logger: Pino, context: string): LogFunctionFactory {
  return () => (level, message) => {
    if ((level as string) !== 'error') logger.debug({ context }, message);
    else
      logger.warn(
        { context, reason: message },
        'The queue of webhooks has a problem, and goes on by itself. Check the database if this lasts.',
      );
  };
}
