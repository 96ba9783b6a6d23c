import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Environment, StartError } from '../config/environment.js';
import { isWebhookKey } from '../config/formats.js';

/**
 * Returns WEBHOOK_KEY. With the embedded database, the default is a generated key in a file of the data directory.
 *
 * @throws StartError if there is no key, or the file has no valid key
 */
export async function webhookKeyOf({
  webhookKey,
  databaseUrl,
  dataDir,
}: Pick<Environment, 'webhookKey' | 'databaseUrl' | 'dataDir'>): Promise<string> {
  if (webhookKey !== undefined) return webhookKey;
  if (databaseUrl !== undefined) {
    throw new StartError(
      'WEBHOOK_KEY must be set to the key that the service uses. "openssl rand -base64 32" prints a new one.',
    );
  }
  const file = path.join(dataDir, 'webhook.key');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // If two processes start at once, the second process uses the key of the first process.
  await writeFile(file, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    },
  );
  const key = (await readFile(file, 'utf8')).trim();
  if (!isWebhookKey(key))
    throw new StartError(`${file} does not contain a valid key. Restore it, or set WEBHOOK_KEY.`);
  return key;
}
