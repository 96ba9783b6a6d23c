import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { closeAfter } from '../process/close-all.js';
import { readEnvironment } from '../config/environment.js';
import { decryptSecrets, parseWebhookKey, signedHeaders, type StoredSecrets } from '../webhooks/secret.js';
import { type Outcome, Sender } from '../webhooks/sender.js';
import { STORED_SECRETS } from '../webhooks/webhook.statements.js';
import { CommandError } from './command-error.js';
import { sayClosingFailed } from './output.js';
import { webhookKey } from './webhooks.js';

/** Sends a `webhook.test` to an endpoint, without retries. Returns undefined if there is no such endpoint. */
export async function testWebhook({ manager }: DataSource, endpointId: number): Promise<Outcome | undefined> {
  const [endpoint] = await manager.query<({ url: string } & StoredSecrets)[]>(
    `select url, ${STORED_SECRETS} from webhook_endpoints where id = $1`,
    [endpointId],
  );
  if (endpoint === undefined) return undefined;
  const secrets = secretsOf(endpoint, parseWebhookKey(await webhookKey()), endpointId);
  const now = new Date();
  const body = JSON.stringify({ type: 'webhook.test', timestamp: now.toISOString(), data: {} });
  const headers = signedHeaders(randomUUID(), Math.floor(now.getTime() / 1000), body, secrets);
  const sender = new Sender(readEnvironment(process.env).webhookAllow);
  return closeAfter(() => sender.post(endpoint.url, headers, body), [() => sender.close()], sayClosingFailed);
}

function secretsOf(endpoint: StoredSecrets, key: Buffer, endpointId: number): Buffer[] {
  try {
    return decryptSecrets(endpoint, key);
  } catch {
    throw new CommandError(
      `The secret of endpoint ${endpointId} was encrypted with another WEBHOOK_KEY. Set the WEBHOOK_KEY of the service. If ` +
        `that key is lost, "webhooks rotate ${endpointId} --now" gives the endpoint a new secret.`,
    );
  }
}
