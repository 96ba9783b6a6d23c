import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from './client.js';

/** Creates a folder for the files of a service under test. */
export function filesFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'formtrail-files-'));
  return {
    folder,
    url: pathToFileURL(path.join(folder, 'files')).href,
    /** Returns the UUIDs of all files, pending or stored, that have content in the folder. */
    uuids: async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => !entry.isDirectory());
      return files
        .flatMap(({ name, parentPath }) => [path.basename(parentPath), name])
        .filter((name) => name.length === 36);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface Announcement {
  readonly field_code: string;
  readonly name: string;
  readonly size: number;
  readonly media_type: string;
  readonly sha256: string;
  readonly entity_record_id?: number;
}

export const PDF = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\n');

/** Returns the request body that creates an upload with this content. */
export function announcementOf(content: Buffer, more: Partial<Announcement> = {}): Announcement {
  return {
    field_code: 'cv',
    name: 'cv.pdf',
    size: content.length,
    media_type: 'application/pdf',
    sha256: createHash('sha256').update(content).digest('hex'),
    ...more,
  };
}

/** Creates an upload and sends its content to the URL that the service returns. Returns the path of the file. */
export async function uploadFile(
  client: Client,
  submission: string,
  content: Buffer = PDF,
  more: Partial<Announcement> = {},
): Promise<string> {
  const { body } = await client.post(`${submission}/files`, announcementOf(content, more));
  const { url, headers } = body.data.upload as { url: string; headers: Record<string, string> };
  const file = `${submission}/files/${body.data.uuid}`;
  if (url.endsWith(`${file}/content`))
    await client.send('PUT', `${file}/content`, new Uint8Array(content), {
      'Content-Type': 'application/octet-stream',
    });
  else {
    const response = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(content) });
    if (!response.ok) throw new Error(`S3: ${response.status} ${await response.text()}`);
  }
  return file;
}

/** Creates an upload, sends its content and commits it. Returns the committed file. */
export async function storeFile(...parameters: Parameters<typeof uploadFile>) {
  const file = await uploadFile(...parameters);
  const { status, body } = await parameters[0].post(`${file}/commit`);
  if (status !== 200) throw new Error(`The file was not committed: ${JSON.stringify(body)}`);
  return body.data as { uuid: string; value: string; state: string; media_type: string };
}
