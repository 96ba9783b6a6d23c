import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { readEnvironment } from '../config/environment.js';
import { decryptSecret, parseWebhookKey, signedHeaders } from '../webhooks/secret.js';
import { type Outcome, Sender } from '../webhooks/sender.js';
import { CommandError } from './command-error.js';
import { webhookKey } from './webhooks.js';

/** Sends an endpoint a webhook of the type `webhook.test`, at once and once. Undefined where there is no such endpoint. */
export async function testWebhook({ manager }: DataSource, endpointId: number): Promise<Outcome | undefined> {
  const [endpoint] = await manager.query<{ url: string; secret: Buffer }[]>(
    'select url, secret from webhook_endpoints where id = $1',
    [endpointId],
  );
  if (endpoint === undefined) return undefined;
  const secret = secretOf(endpoint.secret, parseWebhookKey(await webhookKey()), endpointId);
  const now = new Date();
  const body = JSON.stringify({ type: 'webhook.test', timestamp: now.toISOString(), data: {} });
  const headers = signedHeaders(randomUUID(), Math.floor(now.getTime() / 1000), body, [secret]);
  const sender = new Sender(readEnvironment(process.env).webhookAllow);
  try {
    return await sender.post(endpoint.url, headers, body);
  } finally {
    await sender.close();
  }
}

function secretOf(encrypted: Buffer, key: Buffer, endpointId: number): Buffer {
  try {
    return decryptSecret(encrypted, key);
  } catch {
    throw new CommandError(
      `The secret of endpoint ${endpointId} was encrypted under another WEBHOOK_KEY. Set the one that the service has; where ` +
        `it is lost, "webhooks rotate ${endpointId} --now" gives the endpoint another secret.`,
    );
  }
}
