import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isKey } from '../config/formats.js';
import { StartError } from '../config/start-error.js';

/**
 * Returns the key in this file of the data directory. Generates the key if there is no file.
 *
 * @param variable the environment variable that sets the key instead
 * @throws StartError if the file has no valid key
 */
export async function readOrGenerateKey(dataDir: string, name: string, variable: string): Promise<string> {
  const file = path.join(dataDir, name);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // If two processes start at once, the second process uses the key of the first process.
  await writeFile(file, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    },
  );
  const key = (await readFile(file, 'utf8')).trim();
  if (!isKey(key))
    throw new StartError(`${file} does not contain a valid key. Restore it, or set ${variable}.`);
  return key;
}
