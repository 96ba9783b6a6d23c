import { createHash } from 'node:crypto';
import { finished, type Readable, Transform } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  badRequest,
  fileTooLarge,
  fileUnavailable,
  invalid,
  notFound,
  partialUpload,
  Problem,
  rangeNotSatisfiable,
  requestTimeout,
} from '../http/errors/problems.js';
import type { SubmissionReference } from '../submissions/submission-reference.decorator.js';
import type { UploadedContent } from './content.decorator.js';
import type { FileRow } from './file.statements.js';
import { hashError, sizeError } from './file-errors.js';
import { FilesService } from './files.service.js';
import type { ByteRange, StoredFile } from './storage/file-storage.js';
import { StorageGateway } from './storage/storage-gateway.js';

/** Milliseconds in which an upload must have arrived: 25 MiB at half a megabit a second. */
export const UPLOAD_TIMEOUT = 7 * 60_000;

/** Where to read a file, or its bytes. */
export type FileContent =
  | { readonly link: string }
  | { readonly file: FileRow; readonly content: Readable; readonly range: ByteRange | undefined };

/** What a client asks of the content of a file, by the headers of RFC 9110, section 14. */
interface ContentRequest {
  readonly isHead: boolean;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** The bytes of files, on their way through the service (U2, U4). */
@Injectable()
export class FileContentsService {
  constructor(
    private readonly files: FilesService,
    private readonly storage: StorageGateway,
  ) {}

  /**
   * Takes the content of a pending file. It is read as fast as it is written. What nobody takes of it is discarded, so that
   * the connection can be used again.
   *
   * @throws Problem 400 where it is only a part; 404 where the storage takes uploads itself; 413 or 422 where the content is
   * not what was announced
   */
  async upload(
    reference: SubmissionReference,
    uuid: string,
    { bytes: body, length, isPartial }: UploadedContent,
  ): Promise<void> {
    if (!this.storage.takesUploads) throw notFound('Route');
    if (isPartial) throw partialUpload();
    const file = await this.files.findPending(reference, uuid);
    if (length !== undefined && length !== file.size) throw otherSize(length, file.size);
    const tooLate = AbortSignal.timeout(UPLOAD_TIMEOUT);
    const content = verified(body, file);
    try {
      await this.storage.run(async (storage) => {
        try {
          await storage.write?.(uuid, content, tooLate);
        } catch (error) {
          if (error instanceof Problem) throw error;
          if (tooLate.aborted) throw requestTimeout();
          if (isCutShort(error)) throw badRequest();
          throw error;
        }
      }, UPLOAD_TIMEOUT + 1_000);
    } finally {
      body.unpipe(content).resume();
      content.destroy();
    }
  }

  /** For HEAD the content is opened, to see that it is there; Nest closes it unread. */
  async read(
    reference: SubmissionReference,
    uuid: string,
    { isHead, range, ifRange }: ContentRequest,
  ): Promise<FileContent> {
    const file = await this.files.find(reference, uuid);
    if (file.state === 'pending') throw fileUnavailable('it was not committed.');
    if (file.state === 'infected') throw fileUnavailable('it is infected.');
    const link = await this.storage.run((storage) => storage.link(file, isHead ? 'HEAD' : 'GET'));
    if (link !== undefined) return { link };
    const isCurrent = ifRange === undefined || ifRange === entityTag(file);
    // Only GET has ranges (RFC 9110, section 14.2).
    const wanted = isCurrent && !isHead ? byteRange(range, file.size) : undefined;
    const whole = { start: 0, end: file.size - 1 };
    const content = await this.storage.run((storage) => storage.read(uuid, wanted ?? whole));
    if (content === undefined)
      throw fileUnavailable('the storage does not have it. Tell whoever runs the service.');
    return { file, content, range: wanted };
  }
}

/** Strong: the content of a file never changes. */
export const entityTag = ({ sha256 }: Pick<StoredFile, 'sha256'>) => `"${sha256}"`;

/** One range; several, or what is no range of bytes, are answered with all, as RFC 9110 allows. */
function byteRange(range: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range ?? '') ?? [];
  const isNone = last === '' ? first === '' : first !== '' && Number(last) < Number(first);
  if (isNone) return undefined;
  // Without the first it is so many bytes from the end, and all where there are no more.
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) throw rangeNotSatisfiable(size);
  return { start, end };
}

/** Whether the client has gone in the middle; the storage fails otherwise, and before the body has been read, too. */
function isCutShort(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** The body as a stream of its own: a request that a pipeline has destroyed cannot be read to its end. */
function verified(body: Readable, file: StoredFile): Transform {
  const content = verifierOf(file);
  // It may be too long before anybody reads it, and who reads it then is told so.
  content.on('error', () => undefined);
  finished(body, (error) => {
    if (error) content.destroy(error);
  });
  return body.pipe(content);
}

const otherSize = (actual: number, size: number) =>
  actual > size ? fileTooLarge(size) : invalid({ content: [sizeError(size)] });

/** Hands on what is announced, and fails where it is something else. */
function verifierOf({ size, sha256 }: StoredFile): Transform {
  const hash = createHash('sha256');
  let arrived = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      arrived += chunk.length;
      hash.update(chunk);
      if (arrived > size) done(otherSize(arrived, size));
      else done(null, chunk);
    },
    flush(done) {
      if (arrived !== size) done(otherSize(arrived, size));
      else if (hash.digest('hex') !== sha256) done(invalid({ content: [hashError(sha256)] }));
      else done();
    },
  });
}
