import type { WebhookSettings } from '../settings.js';
import { readEnvironment } from '../../../server/read-environment.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import { rejectedAddresses } from '../rejected-addresses.js';

/**
 * Warns of an endpoint that the service never reaches (W5). Only a warning, because the service may have another
 * WEBHOOK_ALLOW or other names of hosts than this machine.
 */
export async function warnOfAddress(id: number, url: string): Promise<void> {
  const { webhookAllow } = (await readEnvironment(process.env)).of<WebhookSettings>();
  const addresses = await rejectedAddresses(url, webhookAllow);
  if (addresses.length === 0) return;
  const { hostname } = new URL(url);
  const isName = addresses.every((address) => !hostname.includes(address));
  const where = isName ? `${hostname} (${addresses.join(', ')})` : hostname;
  sayToOperator(
    `Warning: the service sends no webhooks to ${where}, because it is not a public address. To allow it, start the ` +
      `service with WEBHOOK_ALLOW=${[...webhookAllow, ...addresses].join()}. Then set this variable here too, and run ` +
      `"webhooks test ${id}".`,
  );
}
