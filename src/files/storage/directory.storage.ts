import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { closeAfter } from '../../process/close-all.js';
import { UUID } from '../../http/bodies/uuid.js';
import type { ByteRange, FileStorage, Kept, ListedObject, StoredFile } from './file-storage.js';

const INCOMING = 'incoming';
const KEPT = 'files';

/** Neither made nor read through a symbolic link that somebody put there. */
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW;

/**
 * A folder: `incoming/<uuid>/content` for what was uploaded, with what is being uploaded beside it, `files/<its last two
 * digits>/<uuid>` for what is kept. Paths are made of UUIDs alone.
 */
export class DirectoryStorage implements FileStorage {
  private readonly root: string;

  constructor(url: URL) {
    this.root = fileURLToPath(url);
  }

  uploadTarget(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async write(uuid: string, content: Readable, signal: AbortSignal): Promise<void> {
    const target = this.incoming(uuid);
    // Two uploads of one file at once do not mix: the last one that is whole counts.
    const unfinished = path.join(path.dirname(target), randomBytes(8).toString('hex'));
    await this.makeFolderOf(target);
    const handle = await open(unfinished, CREATE, 0o600);
    try {
      await pipeline(content, handle.createWriteStream({ flush: true }), { signal });
      await rename(unfinished, target);
      await syncFolderOf(target);
      // A commit came before: nobody would ask for these bytes any more.
      if (await isThere(this.kept(uuid))) await this.deleteIncoming(uuid);
    } catch (error) {
      await rm(unfinished, { force: true });
      // It was whole when somebody kept the same bytes from another upload, or deleted the file.
      if (!isMissing(error)) throw error;
    }
  }

  /** Size and hash were found right while it was written. */
  async keep({ uuid }: StoredFile): Promise<Kept> {
    const target = this.kept(uuid);
    await this.makeFolderOf(target);
    try {
      await rename(this.incoming(uuid), target);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // Kept by an earlier commit that did not come to its end.
      return (await isThere(target)) ? 'kept' : 'not uploaded';
    }
    await syncFolderOf(target);
    await this.deleteIncoming(uuid);
    return 'kept';
  }

  async read(uuid: string, range?: ByteRange): Promise<Readable | undefined> {
    let handle: FileHandle;
    try {
      handle = await open(this.kept(uuid), READ);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    if (range !== undefined && (await handle.stat()).size <= range.end) {
      await handle.close();
      return undefined;
    }
    return handle.createReadStream(range);
  }

  link(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async delete(uuid: string): Promise<void> {
    await rm(this.kept(uuid), { force: true });
    await this.deleteIncoming(uuid);
  }

  async deleteIncoming(uuid: string): Promise<void> {
    try {
      await rm(path.dirname(this.incoming(uuid)), { recursive: true, force: true });
    } catch (error) {
      // Another upload has just begun.
      if (!hasCode(error, 'ENOTEMPTY')) throw error;
    }
  }

  async *list(): AsyncGenerator<ListedObject> {
    for (const folder of [INCOMING, KEPT]) yield* this.listFolder(folder, folder === KEPT);
  }

  private async *listFolder(folder: string, isKept: boolean): AsyncGenerator<ListedObject> {
    const entries = await opendir(path.join(this.root, folder)).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for await (const entry of entries) {
      const key = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        yield* this.listFolder(key, isKept);
        continue;
      }
      const status = await lstat(path.join(this.root, key)).catch(() => undefined);
      if (status === undefined) continue;
      const uuid = isKept ? entry.name : path.basename(folder);
      const belongs = isKept ? this.kept(uuid) : path.join(path.dirname(this.incoming(uuid)), entry.name);
      const isOwn = entry.isFile() && UUID.test(uuid) && path.join(this.root, key) === belongs;
      yield { uuid: isOwn ? uuid : undefined, key, isKept, modifiedAt: status.mtime };
    }
  }

  private incoming(uuid: string): string {
    return path.join(this.root, INCOMING, uuid, 'content');
  }

  private kept(uuid: string): string {
    return path.join(this.root, KEPT, uuid.slice(-2), uuid);
  }

  private async makeFolderOf(file: string): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  }
}

/** So that a new name outlives a loss of power, as the bytes do. */
async function syncFolderOf(file: string): Promise<void> {
  const folder = await open(path.dirname(file), constants.O_RDONLY);
  await closeAfter(() => folder.sync(), [() => folder.close()]);
}

async function isThere(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined))?.isFile() === true;
}

const isMissing = (error: unknown) => hasCode(error, 'ENOENT');

const hasCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;
