import type { EntityManager } from 'typeorm';
import type { WebhookBody, WebhookEvent } from './entities/webhook-endpoint.js';
import { encryptSecret, newSecret, parseWebhookKey, presentSecret } from './secret.js';

export interface CreatedEndpoint {
  readonly id: number;
  /** The secret for the receiver, as `whsec_…`. Show it now, because the database stores it encrypted. */
  readonly secret: string;
}

interface NewEndpoint {
  readonly url: string;
  readonly formId?: number | null;
  readonly events?: readonly WebhookEvent[];
  readonly body?: WebhookBody;
  readonly personal?: boolean;
}

/**
 * Creates a webhook endpoint with its own secret (W2). The endpoint gets only events that happen afterwards.
 *
 * @param manager entity manager of a data source or a transaction. It may come from another copy of TypeORM
 * @param endpoint `formId` null means all forms; `events` defaults to completed and deleted, `body` to `thin`. `personal` false
 * means that full bodies have no email address, no meta and no values of personal fields
 * @param webhookKey WEBHOOK_KEY of the service
 * @throws QueryFailedError if the database rejects the endpoint
 * @throws Error if the key is malformed
 */
export async function createWebhookEndpoint(
  manager: Pick<EntityManager, 'query'>,
  endpoint: NewEndpoint,
  webhookKey: string,
): Promise<CreatedEndpoint> {
  const {
    url,
    formId = null,
    events = ['submission.completed', 'submission.deleted'],
    body = 'thin',
    personal = true,
  } = endpoint;
  const secret = newSecret();
  const [{ id }] = await manager.query<[{ id: number }]>(
    `insert into webhook_endpoints (url, form_id, events, body, personal, secret) values ($1, $2, $3, $4, $5, $6)
     returning id`,
    [url, formId, [...new Set(events)], body, personal, encryptSecret(secret, parseWebhookKey(webhookKey))],
  );
  return { id, secret: presentSecret(secret) };
}
