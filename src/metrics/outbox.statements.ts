import { integer, statement } from '../database/statement.js';

/** As `OutboxState`; no row where there is no endpoint. The function has the rights that the role of a server lacks. */
export const FIND_OUTBOX_STATE = statement(
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
