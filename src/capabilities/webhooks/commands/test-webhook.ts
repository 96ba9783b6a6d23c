import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { closeAfter } from '../../../process/close-all.js';
import type { WebhookSettings } from '../settings.js';
import { readEnvironment } from '../../../server/read-environment.js';
import { decryptSecrets, parseWebhookKey, signedHeaders, type StoredSecrets } from '../secret.js';
import { Sender } from '../sender.js';
import { SECRET_COLUMNS } from '../webhook.statements.js';
import { CommandError } from '../../../cli/command-error.js';
import { sayClosingFailed } from '../../../cli/output.js';
import { webhookKey } from './webhooks.js';

/**
 * Sends a `webhook.test` to an endpoint, without retries. Returns the status of the response, or undefined if there is no such
 * endpoint.
 *
 * @throws CommandError if the webhook was not delivered
 */
export async function testWebhook({ manager }: DataSource, endpointId: number): Promise<number | undefined> {
  const [endpoint] = await manager.query<({ url: string } & StoredSecrets)[]>(
    `select url, ${SECRET_COLUMNS} from webhook_endpoints where id = $1`,
    [endpointId],
  );
  if (endpoint === undefined) return undefined;
  const secrets = secretsOf(endpoint, parseWebhookKey(await webhookKey()), endpointId);
  const now = new Date();
  const body = JSON.stringify({ type: 'webhook.test', timestamp: now.toISOString(), data: {} });
  const headers = signedHeaders(randomUUID(), Math.floor(now.getTime() / 1000), body, secrets);
  const sender = new Sender((await readEnvironment(process.env)).of<WebhookSettings>().webhookAllow);
  const outcome = await closeAfter(
    () => sender.post(endpoint.url, headers, body),
    [() => sender.close()],
    sayClosingFailed,
  );
  if (outcome.delivered) return outcome.status;
  throw new CommandError(
    outcome.status === undefined
      ? `The webhook could not be sent to ${endpoint.url}: ${outcome.error}. Check that a server listens there, and that this ` +
          'machine can reach it.'
      : `The receiver responded with HTTP ${outcome.status}. Only 2xx counts as delivered. Look for the reason in its log.`,
  );
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
