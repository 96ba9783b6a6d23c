import { stat } from 'node:fs/promises';
import { StartError } from '../../config/environment.js';
import type { FileStorage } from './file-storage.js';

/**
 * S3 is loaded only where somebody asks for it.
 *
 * @throws StartError for a folder that is none
 */
export async function openStorage(filesUrl: string): Promise<FileStorage> {
  const url = new URL(filesUrl);
  if (url.protocol === 's3:') {
    const { S3Storage } = await import('./s3.storage.js');
    return new S3Storage(url.host, decodeURIComponent(url.pathname.replace(/^\/+|\/+$/g, '')));
  }
  if (await isNoFolder(url))
    throw new StartError(
      `FILES_URL names a file, not a folder: ${filesUrl}. Set it to a folder, which may be new.`,
    );
  const { DirectoryStorage } = await import('./directory.storage.js');
  return new DirectoryStorage(url);
}

/** Itself, or what it would be in. */
async function isNoFolder(url: URL): Promise<boolean> {
  try {
    return !(await stat(url)).isDirectory();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR';
  }
}
