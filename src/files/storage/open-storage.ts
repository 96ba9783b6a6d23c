import { stat } from 'node:fs/promises';
import { StartError } from '../../config/environment.js';
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

/** Whether the path, or one of its parents, exists and is not a folder. */
async function isNotFolder(url: URL): Promise<boolean> {
  try {
    return !(await stat(url)).isDirectory();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR';
  }
}
