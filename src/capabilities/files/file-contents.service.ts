import { createHash } from 'node:crypto';
import { finished, type Readable, Transform } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  malformedRequestProblem,
  databaseUnavailableProblem,
  invalidDataProblem,
  notFoundProblem,
  Problem,
  requestTimeoutProblem,
} from '../../http/errors/problems.js';
import type { SubmissionReference } from '../../submissions/submission-reference.decorator.js';
import type { UploadedContent } from './content.decorator.js';
import type { FileRow } from './file.statements.js';
import { hashError, sizeError } from './file-errors.js';
import { FilesService } from './files.service.js';
import type { ByteRange, StoredFile } from './storage/file-storage.js';
import { StorageGateway } from './storage/storage-gateway.js';
import {
  fileUnavailableProblem,
  fileTooLargeProblem,
  partialUploadProblem,
  rangeNotSatisfiableProblem,
} from './problems.js';

/** Milliseconds that an upload may take: 25 MiB at half a megabit a second. */
export const UPLOAD_TIMEOUT = 7 * 60_000;

export type FileContent =
  | { readonly link: string }
  | { readonly file: FileRow; readonly content: Readable; readonly range: ByteRange | undefined };

/** A request for the content of a file, with the headers of RFC 9110, sections 13.1.5 and 14.2. */
interface ContentRequest {
  readonly isHead: boolean;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** Handles the uploads and downloads that pass through the service (U2, U4). */
@Injectable()
export class FileContentsService {
  constructor(
    private readonly files: FilesService,
    private readonly storage: StorageGateway,
  ) {}

  /**
   * Writes the content of a pending file to the storage, and reads the body no faster than the storage writes. After
   * a failure, the rest of the body is discarded, so that the connection can be reused.
   *
   * @throws Problem 400 if the body is only a part; 401 if the token ended before the body was complete; 404 if clients upload to the storage directly; 413 or 422 if the content
   * differs from the size or hash of the upload
   */
  async upload(
    reference: SubmissionReference,
    uuid: string,
    { bytes: body, length, isPartial, confirmToken }: UploadedContent,
  ): Promise<void> {
    if (!this.storage.takesUploads) throw notFoundProblem('Route');
    if (isPartial) throw partialUploadProblem();
    const file = await this.files.findPending(reference, uuid);
    if (length !== undefined && length !== file.size) throw sizeProblem(length, file.size);
    const timeout = AbortSignal.timeout(UPLOAD_TIMEOUT);
    const content = verified(body, file, confirmToken);
    try {
      await this.storage.run(async (storage) => {
        try {
          await storage.write?.(uuid, content, timeout);
        } catch (error) {
          if (error instanceof Problem) throw error;
          if (timeout.aborted) throw requestTimeoutProblem();
          if (isCutShort(error)) throw malformedRequestProblem();
          throw error;
        }
      }, UPLOAD_TIMEOUT + 1_000);
    } finally {
      body.unpipe(content).resume();
      content.destroy();
    }
  }

  /** Opens the content for HEAD as well, to be sure that the content exists. Nest closes the stream unread. */
  async read(
    reference: SubmissionReference,
    uuid: string,
    { isHead, range, ifRange }: ContentRequest,
  ): Promise<FileContent> {
    const file = await this.files.find(reference, uuid);
    if (file.state === 'pending') throw fileUnavailableProblem('it is not committed yet. Commit it first.');
    if (file.state === 'infected')
      throw fileUnavailableProblem('a virus was found in it. Upload another file.');
    const link = await this.storage.run(async (storage) => storage.link?.(file, isHead ? 'HEAD' : 'GET'));
    if (link !== undefined) return { link };
    const isCurrent = ifRange === undefined || ifRange === etagOfFile(file);
    // Only GET supports ranges (RFC 9110, section 14.2).
    const wanted = isCurrent && !isHead ? byteRange(range, file.size) : undefined;
    const whole = { start: 0, end: file.size - 1 };
    const content = await this.storage.run((storage) => storage.read(uuid, wanted ?? whole));
    if (content === undefined)
      throw fileUnavailableProblem('the storage does not have it. Report it to the operator.');
    return { file, content, range: wanted };
  }
}

/** A strong ETag, because the content of a file never changes. */
export const etagOfFile = ({ sha256 }: Pick<StoredFile, 'sha256'>) => `"${sha256}"`;

/** Returns undefined unless the header has exactly one range of bytes. RFC 9110 allows us to ignore any other header. */
function byteRange(range: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range ?? '') ?? [];
  const isNone = last === '' ? first === '' : first !== '' && Number(last) < Number(first);
  if (isNone) return undefined;
  // Without a first position, `last` is a number of bytes from the end.
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) throw rangeNotSatisfiableProblem(size);
  return { start, end };
}

/** Whether the client closed the connection during the upload. Any other error is a failure of the storage. */
function isCutShort(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Returns a separate stream, because a failing pipeline would destroy the body, and the body must still be read to its end. */
function verified(body: Readable, file: StoredFile, confirmToken: () => Promise<void>): Transform {
  const content = verifierOf(file, confirmToken);
  // Without a listener, a failure before the storage reads the stream would be an uncaught error.
  // The storage gets the error later.
  content.on('error', () => undefined);
  finished(body, (error) => {
    if (error) content.destroy(error);
  });
  return body.pipe(content);
}

const sizeProblem = (actual: number, size: number) =>
  actual > size ? fileTooLargeProblem(size) : invalidDataProblem({ content: [sizeError(size)] });

/** Returns a stream that passes the content on. Fails if its size or hash is wrong, or if the token ended meanwhile (A3). */
function verifierOf({ size, sha256 }: StoredFile, confirmToken: () => Promise<void>): Transform {
  const hash = createHash('sha256');
  let arrived = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      arrived += chunk.length;
      hash.update(chunk);
      if (arrived > size) done(sizeProblem(arrived, size));
      else done(null, chunk);
    },
    flush(done) {
      if (arrived !== size) done(sizeProblem(arrived, size));
      else if (hash.digest('hex') !== sha256) done(invalidDataProblem({ content: [hashError(sha256)] }));
      else
        confirmToken().then(
          () => done(),
          // Otherwise an unavailable database would count as a failure of the storage.
          (error: unknown) => done(error instanceof Problem ? error : databaseUnavailableProblem()),
        );
    },
  });
}
