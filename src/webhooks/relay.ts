import type { Pool, QueryResult } from 'pg';
import type { Logger } from 'pino';
import { repeat } from '../jobs/repeat.js';
import { QUEUE_DUE, RELAY } from './webhook.statements.js';

/** Milliseconds between polls. The relay does not use NOTIFY, because commits with NOTIFY wait for each other. */
const POLL_INTERVAL = 250;
/** Poll interval while there is work, so that an endpoint gets new jobs before the last jobs are finished. */
const BUSY_POLL_INTERVAL = 50;
const PAUSE_AFTER_FAULT = 5_000;

/** Maximum number of events in one statement. More events would need more memory and delay the first delivery. */
const BATCH = 500;

interface RelayDependencies {
  /**
   * Commits wait for the disk. Otherwise the relay could repeat an event after a crash, and the webhook would get
   * another id.
   */
  readonly durable: Pool;
  readonly pool: Pool;
  readonly logger: Logger;
}

/** Turns the events of the outbox into deliveries, and adds jobs for due deliveries, until `stop` aborts. */
export function relay({ durable, pool, logger }: RelayDependencies, stop: AbortSignal): Promise<void> {
  const work = async () => {
    const { rowCount: relayed } = await durable.query({ ...RELAY, values: [BATCH] });
    // pg returns an array with one result for each statement.
    const results = (await pool.query(QUEUE_DUE)) as unknown as QueryResult[];
    const queued = results.at(-1)?.rowCount;
    return relayed === 0 && queued === 0 ? POLL_INTERVAL : BUSY_POLL_INTERVAL;
  };
  return repeat(BUSY_POLL_INTERVAL, work, stop, ({ message: reason }) => {
    logger.warn(
      { context: 'Webhooks', reason },
      'The webhook outbox could not be read, so no webhook is sent. The service retries in 5 seconds. Check the database.',
    );
    return PAUSE_AFTER_FAULT;
  });
}
