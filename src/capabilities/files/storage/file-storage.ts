import type { Readable } from 'node:stream';

export interface StoredFile {
  readonly uuid: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly media_type: string;
  /** 64 hexadecimal digits in lower case. */
  readonly sha256: string;
}

/** The URL to which a client uploads a file, and the headers that it must send. */
export interface UploadTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Promotion = 'promoted' | 'not uploaded' | 'wrong size' | 'wrong hash';

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ListedObject {
  /** Undefined if the service did not create the object. */
  readonly uuid: string | undefined;
  /** The path or key of the object, to show to people. */
  readonly key: string;
  /** False for an upload that was never committed. */
  readonly isStored: boolean;
  readonly modifiedAt: Date;
}

/**
 * Stores the content of files by UUID. Uploads are separate from stored files, so that no client can write to a stored file.
 * A method rejects only if the storage fails, never because of the client.
 */
export interface FileStorage {
  /** Omitted if clients upload to the service, which then passes the bytes to {@link write}. */
  uploadTarget?(file: StoredFile): Promise<UploadTarget>;
  /** Writes an upload whole or not at all. `content` emits an error if its size or hash is wrong. */
  write?(uuid: string, content: Readable, signal: AbortSignal): Promise<void>;
  /** Turns the upload into a stored file if its size and hash are right. Changes no file that is already stored. */
  promote(file: StoredFile): Promise<Promotion>;
  /** Returns undefined if the file, or a part of the range, is missing. */
  read(uuid: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Returns a link to the bytes, valid for {@link LINK_SECONDS}. Omitted if the service must {@link read} the content. */
  link?(file: StoredFile, method: 'GET' | 'HEAD'): Promise<string>;
  /** Deleting a missing file is not an error. */
  delete(uuid: string): Promise<void>;
  /** Deletes only the upload, not the stored file. A missing upload is not an error. */
  deleteIncoming(uuid: string): Promise<void>;
  list(): AsyncIterable<ListedObject>;
}

/** The part of a storage that background work and the command line need. */
export type StoredObjects = Pick<FileStorage, 'read' | 'delete' | 'deleteIncoming' | 'list'>;

/** Seconds for which the signed URL of an upload is valid. */
export const UPLOAD_SECONDS = 15 * 60;

/** Seconds for which a link is valid (U4). */
export const LINK_SECONDS = 60;
