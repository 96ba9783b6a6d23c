import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { RELAY } from './webhook.statements.js';

/** Milliseconds. To be told of each commit would have commits wait for each other. */
const POLL_INTERVAL = 250;
const PAUSE_AFTER_FAULT = 5_000;

/** Events at a time: what is in memory of the database, and how long their deliveries are held back. */
const BATCH = 500;

/** Makes deliveries of what is written to the outbox, until `stop`. */
export async function relay(pool: Pool, logger: Logger, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const pause = await pauseAfterRelaying(pool, logger);
    if (pause > 0) await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function pauseAfterRelaying(pool: Pool, logger: Logger): Promise<number> {
  try {
    const { rowCount } = await pool.query({ ...RELAY, values: [BATCH] });
    return rowCount === 0 ? POLL_INTERVAL : 0;
  } catch (error) {
    logger.warn({ context: 'Webhooks' }, `the outbox was not read: ${(error as Error).message}`);
    return PAUSE_AFTER_FAULT;
  }
}
