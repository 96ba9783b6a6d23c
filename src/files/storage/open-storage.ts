import type { FileStorage } from './file-storage.js';

/** S3 is loaded only where somebody asks for it. */
export async function openStorage(filesUrl: string): Promise<FileStorage> {
  const url = new URL(filesUrl);
  if (url.protocol === 's3:') {
    const { S3Storage } = await import('./s3.storage.js');
    return new S3Storage(url.host, decodeURIComponent(url.pathname.replace(/^\/+|\/+$/g, '')));
  }
  const { DirectoryStorage } = await import('./directory.storage.js');
  return new DirectoryStorage(url);
}
