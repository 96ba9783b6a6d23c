import type { Environment } from '../../config/environment.js';
import { StartError } from '../../config/start-error.js';
import { readOrGenerateKey } from '../../process/generated-key.js';
import type { WebhookSettings } from './settings.js';

/**
 * Returns WEBHOOK_KEY. With the embedded database, the default is a generated key in a file of the data directory.
 *
 * @throws StartError if there is no key, or the file has no valid key
 */
export async function webhookKeyOf({
  webhookKey,
  databaseUrl,
  dataDir,
}: Pick<Environment & WebhookSettings, 'webhookKey' | 'databaseUrl' | 'dataDir'>): Promise<string> {
  if (webhookKey !== undefined) return webhookKey;
  if (databaseUrl !== undefined) {
    throw new StartError(
      'Set WEBHOOK_KEY to the key that your other processes of Formtrail use. If there is none yet, "openssl rand -base64 32" prints one for all.',
    );
  }
  return readOrGenerateKey(dataDir, 'webhook.key', 'WEBHOOK_KEY');
}
