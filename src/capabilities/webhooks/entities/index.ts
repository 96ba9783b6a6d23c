export { createWebhookEndpoint, type CreatedEndpoint } from '../create-webhook-endpoint.js';
export { WebhookDelivery } from './webhook-delivery.js';
export {
  WEBHOOK_BODIES,
  WEBHOOK_EVENTS,
  type WebhookBody,
  WebhookEndpoint,
  type WebhookEvent,
} from './webhook-endpoint.js';
export { WebhookOutboxEntry } from './webhook-outbox-entry.js';
export { Webhooks1798000000004 } from '../migrations/0004-webhooks.js';
export { WebhookLocale1798000000019 } from '../migrations/0019-webhook-locale.js';
export {
  ForgottenWebhooks1798000000047,
  PersonalFieldsOfEvents1798000000046,
  WebhooksWithoutPersonal1798000000045,
} from '../migrations/0045-personal-data.js';
