import { integer, statement } from '../database/statement.js';
import type { OutboxState, Webhooks } from '../webhooks/webhooks.service.js';
import type { CachedReading } from './cached-reading.js';
import type { ReadMetrics } from './readings.js';

/** Returns no row if there is no endpoint. The SQL function has rights that the service's role lacks. */
export const FIND_OUTBOX_STATE = statement<OutboxState>(
  'webhooks.state',
  `select events, deliveries, oldest_pending_seconds, oldest_due_seconds, disabled_endpoints
     from formtrail_webhooks_state()`,
  {
    events: integer,
    deliveries: integer,
    oldest_pending_seconds: Number,
    oldest_due_seconds: Number,
    disabled_endpoints: integer,
  },
);

/** Exports metrics of the webhooks that this process delivers. */
export function readDeliveries(metrics: ReadMetrics, { deliveries, undecryptable }: Webhooks): void {
  metrics.counter('formtrail_webhook_attempts_total', 'Attempts to deliver a webhook.', ['outcome'], () =>
    Object.entries(deliveries.counts).map(([outcome, count]) => [{ outcome }, count] as const),
  );
  metrics.counter(
    'formtrail_webhook_endpoints_disabled_total',
    'Endpoints disabled by this process, because they kept failing or responded with 410.',
    [],
    () => [[{}, deliveries.disabledEndpoints]],
  );
  metrics.gauge(
    'formtrail_webhook_undecryptable_endpoints',
    'Endpoints whose secret WEBHOOK_KEY does not decrypt. No deliveries to them are attempted.',
    [],
    () => [[{}, undecryptable.count]],
  );
}

/** Exports metrics of the pending webhooks of all processes. There are no series if there is no endpoint. */
export function readOutbox(metrics: ReadMetrics, outbox: CachedReading<OutboxState>): void {
  const gauge = (name: string, help: string, value: (state: OutboxState) => number) => {
    metrics.gauge(`formtrail_webhook_${name}`, help, [], async () => {
      const state = await outbox.read();
      return state === undefined ? [] : [[{}, value(state)]];
    });
  };
  gauge(
    'outbox_events',
    'Events that are not yet turned into deliveries, up to 10000.',
    ({ events }) => events,
  );
  gauge('pending_deliveries', 'Pending deliveries, up to 10000.', ({ deliveries }) => deliveries);
  gauge(
    'oldest_pending_seconds',
    'Age of the oldest undelivered event in seconds.',
    ({ oldest_pending_seconds }) => oldest_pending_seconds,
  );
  gauge(
    'oldest_due_seconds',
    'Seconds that the oldest due webhook has waited for a process to deliver it. Failing endpoints are left out.',
    ({ oldest_due_seconds }) => oldest_due_seconds,
  );
  gauge('disabled_endpoints', 'Disabled endpoints.', (state) => state.disabled_endpoints);
}
