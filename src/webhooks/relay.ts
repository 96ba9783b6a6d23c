import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, QueryResult } from 'pg';
import type { Logger } from 'pino';
import { QUEUE_DUE, RELAY } from './webhook.statements.js';

/** Milliseconds. To be told of each commit would have commits wait for each other. */
const POLL_INTERVAL = 250;
/** While there is something to do: endpoints are to have jobs before they have done those they had. */
const BUSY_POLL_INTERVAL = 50;
const PAUSE_AFTER_FAULT = 5_000;

/** Events at a time: what is in memory of the database, and how long their deliveries are held back. */
const BATCH = 500;

interface Parts {
  /** Its commits wait for the disk: what was relayed would get other ids. */
  readonly durable: Pool;
  readonly pool: Pool;
  readonly logger: Logger;
}

/** Makes deliveries of what is written to the outbox, and adds the jobs of those that are due, until `stop`. */
export async function relay(parts: Parts, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await sleep(await pauseAfterRelaying(parts), undefined, { signal: stop }).catch(() => undefined);
  }
}

async function pauseAfterRelaying({ durable, pool, logger }: Parts): Promise<number> {
  try {
    const { rowCount: relayed } = await durable.query({ ...RELAY, values: [BATCH] });
    // Of several statements there are as many results.
    const results = (await pool.query(QUEUE_DUE)) as unknown as QueryResult[];
    const queued = results.at(-1)?.rowCount;
    return relayed === 0 && queued === 0 ? POLL_INTERVAL : BUSY_POLL_INTERVAL;
  } catch (error) {
    logger.warn(
      { context: 'Webhooks', reason: (error as Error).message },
      'The outbox of webhooks could not be read, so none is sent. This is tried again in 5 seconds; check the database.',
    );
    return PAUSE_AFTER_FAULT;
  }
}
