import type { Readable } from 'node:stream';

/** As much of a file as a storage has to know. */
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

/** What became of a file that was to be kept. */
export type Kept = 'kept' | 'not uploaded' | 'wrong size' | 'wrong hash';

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ListedObject {
  /** Undefined: none of the service's own. */
  readonly uuid: string | undefined;
  /** For people: where it is. */
  readonly key: string;
  /** Whether it is what was kept, or what was uploaded and never committed. */
  readonly isKept: boolean;
  readonly modifiedAt: Date;
}

/**
 * Where the bytes of files are, by UUID. What is uploaded lies apart from what is kept, which nobody can write to any more.
 * What a method rejects with is the storage's failure, and never the client's.
 */
export interface FileStorage {
  /** Undefined: the service takes the bytes itself, and gives them to {@link write}, which there is then. */
  uploadTarget(file: StoredFile): Promise<UploadTarget | undefined>;
  /** Takes an upload whole or not at all: `content` fails where it is not what was announced. */
  write?(uuid: string, content: Readable, signal: AbortSignal): Promise<void>;
  /** Keeps what was uploaded, if it is what was announced; what is kept already stays. */
  keep(file: StoredFile): Promise<Kept>;
  /** Undefined: not there, or not all of the range. */
  read(uuid: string, range?: ByteRange): Promise<Readable | undefined>;
  /** A link to the bytes as an attachment, for one method, which ends soon; undefined: {@link read} them. */
  link(file: StoredFile, method: 'GET' | 'HEAD'): Promise<string | undefined>;
  /** Also of what is not there. */
  delete(uuid: string): Promise<void>;
  /** Deletes the upload only, and not the stored file. A missing upload is not an error. */
  deleteIncoming(uuid: string): Promise<void>;
  /** Everything there is. */
  list(): AsyncIterable<ListedObject>;
}

/** What is done between requests, and by the command line, takes no more of it. */
export type StoredObjects = Pick<FileStorage, 'read' | 'delete' | 'deleteIncoming' | 'list'>;

/** Seconds in which an upload may begin at a URL that was signed for it. */
export const UPLOAD_SECONDS = 15 * 60;

/** Seconds in which a link may be followed (U4). */
export const LINK_SECONDS = 60;
