import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  NoSuchKey,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import contentDisposition from 'content-disposition';
import { UUID } from '../../../http/bodies/uuid.js';
import {
  type ByteRange,
  type FileStorage,
  type Promotion,
  LINK_SECONDS,
  type ListedObject,
  type StoredFile,
  UPLOAD_SECONDS,
  type UploadTarget,
} from './file-storage.js';

/** Milliseconds to connect. */
const CONNECTION_TIMEOUT = 2_000;
/** Milliseconds until the response begins. */
const REQUEST_TIMEOUT = 10_000;

const CHECKSUM = 'x-amz-checksum-sha256';

/**
 * Stores files in a bucket of S3, or of a compatible service (`AWS_ENDPOINT_URL_S3`). A client uploads to `incoming/<uuid>` with
 * a URL signed for that object only. A stored file is `files/<uuid>`. No client gets a URL to write a stored file.
 */
export class S3Storage implements FileStorage {
  private readonly client = new S3Client({
    maxAttempts: 2,
    // Compatible services may support neither every kind of checksum nor a host name for each bucket.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    forcePathStyle:
      process.env['AWS_ENDPOINT_URL_S3'] !== undefined || process.env['AWS_ENDPOINT_URL'] !== undefined,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      throwOnRequestTimeout: true,
    },
  });
  private readonly prefix: string;

  constructor(
    private readonly bucket: string,
    prefix: string,
  ) {
    this.prefix = prefix === '' ? '' : `${prefix}/`;
  }

  /** Signs the length and the checksum, so that S3 rejects any other content. */
  async uploadTarget({ uuid, size, sha256 }: StoredFile): Promise<UploadTarget> {
    const checksum = Buffer.from(sha256, 'hex').toString('base64');
    const command = new PutObjectCommand({
      Bucket: this.bucket,
      Key: this.incoming(uuid),
      ContentLength: size,
      ChecksumSHA256: checksum,
    });
    const url = await getSignedUrl(this.client, command, {
      expiresIn: UPLOAD_SECONDS,
      unhoistableHeaders: new Set([CHECKSUM]),
    });
    return { url, headers: { [CHECKSUM]: checksum } };
  }

  /**
   * Reads and verifies the whole object instead of trusting the storage's hash. Copies the object only if its ETag has
   * not changed, because another upload may have replaced the object meanwhile.
   */
  async promote({ uuid, size, sha256 }: StoredFile): Promise<Promotion> {
    const found = await this.get(this.incoming(uuid));
    if (found === undefined) return (await this.isPromoted(uuid)) ? 'promoted' : 'not uploaded';
    const hash = createHash('sha256');
    let arrived = 0;
    for await (const chunk of found.content as AsyncIterable<Buffer>) {
      arrived += chunk.length;
      // Leaving the loop destroys the stream.
      if (arrived > size) return 'wrong size';
      hash.update(chunk);
    }
    if (arrived !== size) return 'wrong size';
    if (hash.digest('hex') !== sha256) return 'wrong hash';
    await this.client.send(
      new CopyObjectCommand({
        Bucket: this.bucket,
        Key: this.stored(uuid),
        // The SDK does not encode this header, but S3 decodes it: `+` would be a space, and `?` would end the key.
        CopySource: `${this.bucket}/${this.incoming(uuid).split('/').map(encodeURIComponent).join('/')}`,
        CopySourceIfMatch: found.etag,
      }),
    );
    await this.deleteIncoming(uuid);
    return 'promoted';
  }

  async read(uuid: string, range?: ByteRange): Promise<Readable | undefined> {
    return (await this.get(this.stored(uuid), range))?.content;
  }

  /** Signs the URL for one method, because a client follows a redirect with the same method, and S3 rejects any other method. */
  link({ uuid, name, media_type }: StoredFile, method: 'GET' | 'HEAD'): Promise<string> {
    const input = {
      Bucket: this.bucket,
      Key: this.stored(uuid),
      ResponseContentDisposition: contentDisposition(name),
      ResponseContentType: media_type,
      ResponseCacheControl: 'no-store',
    };
    const command = method === 'GET' ? new GetObjectCommand(input) : new HeadObjectCommand(input);
    return getSignedUrl(this.client, command, { expiresIn: LINK_SECONDS });
  }

  delete(uuid: string): Promise<void> {
    return this.deleteObjects([this.stored(uuid), this.incoming(uuid)]);
  }

  deleteIncoming(uuid: string): Promise<void> {
    return this.deleteObjects([this.incoming(uuid)]);
  }

  async *list(): AsyncGenerator<ListedObject> {
    const pages = paginateListObjectsV2(
      { client: this.client },
      { Bucket: this.bucket, Prefix: this.prefix },
    );
    for await (const { Contents = [] } of pages) {
      for (const { Key = '', LastModified = new Date() } of Contents) {
        const uuid = Key.slice(-36);
        const isStored = Key === this.stored(uuid);
        const isOwn = UUID.test(uuid) && (isStored || Key === this.incoming(uuid));
        yield { uuid: isOwn ? uuid : undefined, key: Key, isStored, modifiedAt: LastModified };
      }
    }
  }

  private async get(key: string, range?: ByteRange) {
    try {
      const { Body, ETag } = await this.client.send(
        new GetObjectCommand({
          Bucket: this.bucket,
          Key: key,
          ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        }),
      );
      return { content: Body as Readable, etag: ETag };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  private async isPromoted(uuid: string): Promise<boolean> {
    try {
      await this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: this.stored(uuid) }));
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  private async deleteObjects(keys: readonly string[]): Promise<void> {
    const { Errors = [] } = await this.client.send(
      new DeleteObjectsCommand({
        Bucket: this.bucket,
        Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
      }),
    );
    const [error] = Errors;
    if (error !== undefined) throw new Error(`${error.Key}: ${error.Code} ${error.Message}`);
  }

  private incoming(uuid: string): string {
    return `${this.prefix}incoming/${uuid}`;
  }

  private stored(uuid: string): string {
    return `${this.prefix}files/${uuid}`;
  }
}
