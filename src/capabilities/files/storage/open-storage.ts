import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../../config/start-error.js';
import type { FileStorage } from './file-storage.js';

/**
 * Loads the S3 client only if FILES_URL names a bucket.
 *
 * @throws StartError if FILES_URL names a file instead of a folder
 */
export async function openStorage(filesUrl: string): Promise<FileStorage> {
  const url = new URL(filesUrl);
  if (url.protocol === 's3:') {
    const { S3Storage } = await import('./s3.storage.js');
    return new S3Storage(url.host, decodeURIComponent(url.pathname.replace(/^\/+|\/+$/g, '')));
  }
  if (await isNotFolder(url))
    throw new StartError(
      `FILES_URL names a file, not a folder: ${filesUrl}. Set it to a folder, which may be new.`,
    );
  const { DirectoryStorage } = await import('./directory.storage.js');
  return new DirectoryStorage(url);
}

/**
 * Creates the folder that FILES_URL names. Returns its path if it was missing. Does nothing for a bucket.
 *
 * @throws StartError if the service cannot create the folder, or cannot write to it
 */
export async function makeFolder(filesUrl: string): Promise<string | undefined> {
  const url = new URL(filesUrl);
  if (url.protocol !== 'file:') return undefined;
  const folder = fileURLToPath(url);
  try {
    const created = await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK | constants.X_OK);
    return created && folder;
  } catch (error) {
    throw new StartError(
      `The service cannot write to the folder of FILES_URL, ${folder} (${(error as NodeJS.ErrnoException).code}). Create the ` +
        'folder for the user that runs the service, or set FILES_URL to another one.',
    );
  }
}

/** Whether the path, or one of its parents, exists and is not a folder. */
async function isNotFolder(url: URL): Promise<boolean> {
  try {
    return !(await stat(url)).isDirectory();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR';
  }
}
