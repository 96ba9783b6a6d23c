import type { CachedReading } from '../../database/cached-reading.js';
import type { Measurements } from '../../process/measurements.js';
import type { DeliveryAttempts } from './delivery-attempts.js';
import type { UndecryptableEndpoints } from './undecryptable-endpoints.js';

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

/** Measures the webhooks that this process delivers. */
export function measureDeliveries(
  measurements: Measurements,
  attempts: DeliveryAttempts,
  undecryptable: UndecryptableEndpoints,
): void {
  measurements.counter(
    'formtrail_webhook_attempts_total',
    'Attempts to deliver a webhook.',
    ['outcome'],
    () => attempts.counts,
  );
  measurements.counter(
    'formtrail_webhook_endpoints_disabled_total',
    'Endpoints disabled by this process, because they kept failing or responded with 410.',
    [],
    () => attempts.disabledEndpoints,
  );
  measurements.gauge(
    'formtrail_webhook_undecryptable_endpoints',
    'Endpoints whose secret WEBHOOK_KEY does not decrypt. No deliveries to them are attempted.',
    [],
    () => undecryptable.count,
  );
}

/** Measures the pending webhooks of all processes. There are no series if there is no endpoint. */
export function measureOutbox(measurements: Measurements, outbox: CachedReading<OutboxState>): void {
  const each = (of: (state: OutboxState) => number) => async () => {
    const state = await outbox.read();
    return state && of(state);
  };
  measurements.gauge(
    'formtrail_webhook_outbox_events',
    'Events that are not yet turned into deliveries, up to 10000.',
    [],
    each(({ events }) => events),
  );
  measurements.gauge(
    'formtrail_webhook_pending_deliveries',
    'Pending deliveries, up to 10000.',
    [],
    each(({ deliveries }) => deliveries),
  );
  measurements.gauge(
    'formtrail_webhook_oldest_pending_seconds',
    'Age of the oldest undelivered event in seconds.',
    [],
    each((state) => state.oldest_pending_seconds),
  );
  measurements.gauge(
    'formtrail_webhook_oldest_due_seconds',
    'Seconds that the oldest due webhook has waited for a process to deliver it. Failing endpoints are left out.',
    [],
    each((state) => state.oldest_due_seconds),
  );
  measurements.gauge(
    'formtrail_webhook_disabled_endpoints',
    'Disabled endpoints.',
    [],
    each((state) => state.disabled_endpoints),
  );
}
