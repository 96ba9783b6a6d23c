import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { InSpan } from '../../process/in-span.js';
import { pauseAfter } from './retry-schedule.js';
import { signedHeaders } from './secret.js';
import type { Outcome, Sender } from './sender.js';
import type { UndecryptableEndpoints } from './undecryptable-endpoints.js';
import { DELIVERED, type DueDelivery, FAILED, GIVE_UP } from './webhook.statements.js';

interface DeliveryDependencies {
  readonly pool: Pool;
  readonly sender: Sender;
  readonly undecryptable: UndecryptableEndpoints;
  readonly logger: Logger;
  readonly inSpan: InSpan;
}

/** Attempts deliveries, and stores the outcome. */
export class DeliveryAttempts {
  /**
   * Number of each outcome since the process started. `gave_up` includes deliveries that were not attempted, because
   * their endpoint is disabled or removed.
   */
  readonly counts = { delivered: 0, failed: 0, gave_up: 0 };
  /** Number of endpoints that this process has disabled. */
  disabledEndpoints = 0;

  constructor(private readonly dependencies: DeliveryDependencies) {}

  /**
   * Makes one attempt. A success is stored after the receiver has responded, so a webhook may arrive twice but is
   * never lost. Returns false, without an attempt, if WEBHOOK_KEY does not decrypt the secret.
   *
   * @throws Error if the database is lost or `stop` aborts the attempt
   */
  async attempt(delivery: DueDelivery, stop?: AbortSignal): Promise<boolean> {
    const { pool, inSpan } = this.dependencies;
    const { id, url, secret, disabled_reason } = delivery;
    if (url === null || secret === null || disabled_reason !== null) {
      await this.giveUp(
        delivery,
        disabled_reason === null ? 'the endpoint was removed' : 'the endpoint is disabled',
      );
      return true;
    }
    const { endpoint_id, previous_secret, body } = delivery;
    const secrets = this.dependencies.undecryptable.secretsOf(endpoint_id, { secret, previous_secret });
    if (secrets === undefined) return false;
    await inSpan('webhook', async (setAttribute) => {
      const now = Math.floor(Date.now() / 1000);
      const headers = signedHeaders(id, now, body, secrets);
      const outcome = await this.dependencies.sender.post(url, headers, body, stop);
      if (outcome.status !== undefined) setAttribute('http.response.status_code', outcome.status);
      if (outcome.delivered) {
        await pool.query({ ...DELIVERED, values: [id, endpoint_id] });
        this.counts.delivered += 1;
      } else {
        setAttribute('error.type', String(outcome.status ?? 'no_response'));
        await this.failed(delivery, outcome);
      }
    });
    return true;
  }

  private async failed(
    delivery: DueDelivery,
    { error, status, retryAfter }: Extract<Outcome, { delivered: false }>,
  ): Promise<void> {
    const { pool, logger } = this.dependencies;
    const { id, endpoint_id, attempts } = delivery;
    const isGone = status === 410;
    const pause = isGone ? undefined : pauseAfter(attempts + 1, retryAfter);
    const values = [id, endpoint_id, error, pause ?? null, isGone];
    const [endpoint] = (await pool.query<{ disabled_reason: string | null }>(FAILED, values)).rows;
    const reason = endpoint?.disabled_reason ?? undefined;
    this.counts[pause === undefined ? 'gave_up' : 'failed'] += 1;
    const described = { ...describe(delivery), attempt: attempts + 1, reason: error };
    if (pause === undefined) logger.warn(described, GAVE_UP);
    else
      logger.warn(
        { ...described, retry_in_seconds: Math.round(pause) },
        'A webhook could not be delivered and will be retried. If this lasts, tell the receiver.',
      );
    if (reason === undefined) return;
    this.disabledEndpoints += 1;
    logger.error(
      { context: 'Webhooks', endpoint_id, reason },
      'A webhook endpoint was disabled and gets nothing more. Tell the receiver, then run "webhooks enable" and "webhooks redeliver".',
    );
  }

  private async giveUp(delivery: DueDelivery, reason: string): Promise<void> {
    await this.dependencies.pool.query(GIVE_UP, [delivery.id, reason]);
    this.counts.gave_up += 1;
    this.dependencies.logger.warn({ ...describe(delivery), reason }, GAVE_UP);
  }
}

const GAVE_UP =
  'A webhook was given up and is not sent again. When the receiver works, run "webhooks redeliver".';

/** The fields of a delivery in the log. */
function describe({ id: webhook_id, submission_uuid, endpoint_id, event }: DueDelivery) {
  return { context: 'Webhooks', webhook_id, submission_uuid, endpoint_id, event };
}
