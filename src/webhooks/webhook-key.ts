import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Environment, StartError } from '../config/environment.js';
import { isWebhookKey } from '../config/formats.js';

/**
 * WEBHOOK_KEY; beside the embedded database, where it is not set, that of a file in the data directory, which is made.
 *
 * @throws StartError where there is none
 */
export async function webhookKeyOf({
  webhookKey,
  databaseUrl,
  dataDir,
}: Pick<Environment, 'webhookKey' | 'databaseUrl' | 'dataDir'>): Promise<string> {
  if (webhookKey !== undefined) return webhookKey;
  if (databaseUrl !== undefined) {
    throw new StartError(
      'WEBHOOK_KEY must be set to the key that the service has. "openssl rand -base64 32" prints a new one.',
    );
  }
  const file = path.join(dataDir, 'webhook.key');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Who comes second takes the key of who came first.
  await writeFile(file, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    },
  );
  const key = (await readFile(file, 'utf8')).trim();
  if (!isWebhookKey(key)) throw new StartError(`${file} has no key. Put it back, or set WEBHOOK_KEY.`);
  return key;
}
