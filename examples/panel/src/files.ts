import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { File, type FileState } from 'formtrail-entities';
import type { DataSource } from 'typeorm';
import { HttpError } from './errors.js';

/** The service's storage of files, which FILES_URL names. */
export interface FileStorage {
  read(uuid: string): Promise<Readable | undefined>;
}

interface Download {
  readonly Params: { readonly submission: string; readonly file: string };
}

/** Whether the service lets people download a file: not before it is uploaded, and not if it is infected. */
export const isReadable = (state: FileState): boolean => state === 'stored' || state === 'clean';

export const fileAddress = ({ submissionUuid, uuid }: Pick<File, 'submissionUuid' | 'uuid'>): string =>
  `/admin/submissions/${submissionUuid}/files/${uuid}`;

/** Sends the files of submissions as downloads, with the service's own storage code. */
export function addDownloads(app: FastifyInstance, dataSource: DataSource, storage?: FileStorage): void {
  app.get<Download>('/admin/submissions/:submission/files/:file', async (request, reply) => {
    const { submission, file: uuid } = request.params;
    const file = await dataSource.manager.findOneBy(File, { uuid, submissionUuid: submission });
    if (file === null || !isReadable(file.state))
      throw new HttpError(404, 'The submission has no such file, or the file cannot be downloaded.');
    const content = await storage?.read(uuid);
    if (content === undefined) throw new HttpError(404, 'The storage of files does not have this file.');
    return reply
      .type(file.mediaType)
      .header('Content-Length', file.size)
      .header('Cache-Control', 'no-store')
      .header('Content-Disposition', `attachment; filename*=UTF-8''${encoded(file.name)}`)
      .send(content);
  });
}

/** Encodes a file name as RFC 8187 requires. */
const encoded = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
