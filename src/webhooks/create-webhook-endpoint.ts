import type { EntityManager } from 'typeorm';
import type { WebhookBody, WebhookEvent } from './entities/webhook-endpoint.js';
import { encryptSecret, newSecret, parseWebhookKey, presentSecret } from './secret.js';

export interface CreatedEndpoint {
  readonly id: number;
  /** `whsec_…`, for the receiver: shown once, and stored encrypted. */
  readonly secret: string;
}

/**
 * Makes a webhook endpoint with a secret of its own (W2). It is told of what happens from then on.
 *
 * @param manager of a data source, or of the transaction to take part in; of any copy of TypeORM
 * @param endpoint `formId` null: of all forms; without `events`, completed and deleted; `body` is `thin` unless it is said
 * @param webhookKey WEBHOOK_KEY of the service
 * @throws QueryFailedError when the database refuses it
 * @throws Error when the key is none
 */
export async function createWebhookEndpoint(
  manager: Pick<EntityManager, 'query'>,
  endpoint: { url: string; formId?: number | null; events?: readonly WebhookEvent[]; body?: WebhookBody },
  webhookKey: string,
): Promise<CreatedEndpoint> {
  const {
    url,
    formId = null,
    events = ['submission.completed', 'submission.deleted'],
    body = 'thin',
  } = endpoint;
  const secret = newSecret();
  const [{ id }] = await manager.query<[{ id: number }]>(
    'insert into webhook_endpoints (url, form_id, events, body, secret) values ($1, $2, $3, $4, $5) returning id',
    [url, formId, [...new Set(events)], body, encryptSecret(secret, parseWebhookKey(webhookKey))],
  );
  return { id, secret: presentSecret(secret) };
}
