import type { FileResponse, UploadResponse } from './dto/file.response.js';
import type { FileRow } from './file.statements.js';
import type { UploadTarget } from './storage/file-storage.js';

/** The value that references a file (U3). */
export const valueOf = (uuid: string) => `file:${uuid}`;

/** If `areScanned`, a file is ready only after a scanner has found nothing in it (U6). */
export function presentFile(file: FileRow, fieldCode: string, areScanned: boolean): FileResponse {
  const { uuid, entity_record_id, name, size, media_type, sha256, state, created_at } = file;
  const value = valueOf(uuid);
  return {
    uuid,
    value,
    field_code: fieldCode,
    entity_record_id,
    name,
    size,
    media_type,
    sha256,
    state,
    is_ready: state === 'clean' || (state === 'stored' && !areScanned),
    created_at,
  };
}

/** `expiresAt` is in milliseconds since 1970. */
export function presentUpload({ url, headers }: UploadTarget, expiresAt: number): UploadResponse {
  return { method: 'PUT', url, headers, expires_at: new Date(expiresAt).toISOString().replace('Z', '000Z') };
}
