import { integer, statement } from '../../database/statement.js';
import type { OutboxState } from './webhooks.service.js';
import type { CachedReading } from '../metrics/cached-reading.js';
import type { Export } from '../metrics/exporter.js';

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

/** Exports metrics of the pending webhooks of all processes. There are no series if there is no endpoint. */
export function exportOutbox(exportMetric: Export, outbox: CachedReading<OutboxState>): void {
  const each = (of: (state: OutboxState) => number) => async () => {
    const state = await outbox.read();
    return state && of(state);
  };
  exportMetric(
    'formtrail_webhook_outbox_events',
    each(({ events }) => events),
  );
  exportMetric(
    'formtrail_webhook_pending_deliveries',
    each(({ deliveries }) => deliveries),
  );
  exportMetric(
    'formtrail_webhook_oldest_pending_seconds',
    each((state) => state.oldest_pending_seconds),
  );
  exportMetric(
    'formtrail_webhook_oldest_due_seconds',
    each((state) => state.oldest_due_seconds),
  );
  exportMetric(
    'formtrail_webhook_disabled_endpoints',
    each((state) => state.disabled_endpoints),
  );
}
