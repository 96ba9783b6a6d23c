import type { Readable } from 'node:stream';

/** The properties of a file that a storage needs. */
export interface StoredFile {
  readonly uuid: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly media_type: string;
  /** As 64 hexadecimal digits in lower case. */
  readonly sha256: string;
}

/** How a client uploads a file; it sends nothing but these headers. */
export interface UploadTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What became of a pending file that was to become a stored one. */
export type Promotion = 'promoted' | 'not uploaded' | 'wrong size' | 'wrong hash';

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ListedObject {
  /** Undefined if the service did not create the object. */
  readonly uuid: string | undefined;
  /** Where the object is, for people. */
  readonly key: string;
  /** False for an upload that was never committed. */
  readonly isStored: boolean;
  readonly modifiedAt: Date;
}

/**
 * Where the bytes of files are, by UUID. Uploads lie apart from stored files, which no client can write to.
 * A method rejects because the storage has failed, and never because of the client.
 */
export interface FileStorage {
  /** Undefined if the service takes the bytes itself and passes them to {@link write}, which must exist then. */
  uploadTarget(file: StoredFile): Promise<UploadTarget | undefined>;
  /** Takes an upload whole or not at all: `content` fails if it is not the announced file. */
  write?(uuid: string, content: Readable, signal: AbortSignal): Promise<void>;
  /** Turns the upload into a stored file if it is the announced one. A stored file stays as it is. */
  promote(file: StoredFile): Promise<Promotion>;
  /** Undefined if the file, or a part of the range, is missing. */
  read(uuid: string, range?: ByteRange): Promise<Readable | undefined>;
  /** A link to the bytes as an attachment, which expires soon; undefined if the service has to {@link read} them. */
  link(file: StoredFile, method: 'GET' | 'HEAD'): Promise<string | undefined>;
  /** Deleting a missing file is not an error. */
  delete(uuid: string): Promise<void>;
  /** Deletes the upload only, and not the stored file. A missing upload is not an error. */
  deleteIncoming(uuid: string): Promise<void>;
  /** All objects of the storage. */
  list(): AsyncIterable<ListedObject>;
}

/** What background work and the command line need of a storage. */
export type StoredObjects = Pick<FileStorage, 'read' | 'delete' | 'deleteIncoming' | 'list'>;

/** Seconds in which an upload may begin at a URL that was signed for it. */
export const UPLOAD_SECONDS = 15 * 60;

/** Seconds in which a link may be followed (U4). */
export const LINK_SECONDS = 60;
