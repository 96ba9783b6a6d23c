import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { closeAfter } from '../../../process/close-all.js';
import { UUID } from '../../../http/bodies/uuid.js';
import type { ByteRange, FileStorage, Promotion, ListedObject, StoredFile } from './file-storage.js';

const INCOMING = 'incoming';
const STORED = 'files';

/** Files are neither created nor read through a symbolic link. */
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW;

/**
 * Stores files in a folder. A complete upload is `incoming/<uuid>/content`, beside unfinished uploads of the same
 * file. A stored file is `files/<last two digits of uuid>/<uuid>`. No part of a path comes from a client.
 */
export class DirectoryStorage implements FileStorage {
  private readonly root: string;

  constructor(url: URL) {
    this.root = fileURLToPath(url);
  }

  async write(uuid: string, content: Readable, signal: AbortSignal): Promise<void> {
    const target = this.incoming(uuid);
    // Parallel uploads of one file must not mix, so each upload has its own name until it is complete. The last upload wins.
    const unfinished = path.join(path.dirname(target), randomBytes(8).toString('hex'));
    await this.makeFolderOf(target);
    const handle = await open(unfinished, CREATE, 0o600);
    try {
      await pipeline(content, handle.createWriteStream({ flush: true }), { signal });
      await rename(unfinished, target);
      await syncFolderOf(target);
      // If the file was committed meanwhile, these bytes are not needed.
      if (await exists(this.stored(uuid))) await this.deleteIncoming(uuid);
    } catch (error) {
      await rm(unfinished, { force: true });
      // A missing file is no error: another request has promoted the complete upload or deleted the file meanwhile.
      if (!isMissing(error)) throw error;
    }
  }

  /** The size and the hash were verified during the upload. */
  async promote({ uuid }: StoredFile): Promise<Promotion> {
    const target = this.stored(uuid);
    await this.makeFolderOf(target);
    try {
      await rename(this.incoming(uuid), target);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // If the upload is missing, an earlier commit may have promoted it before the commit was interrupted.
      return (await exists(target)) ? 'promoted' : 'not uploaded';
    }
    await syncFolderOf(target);
    await this.deleteIncoming(uuid);
    return 'promoted';
  }

  async read(uuid: string, range?: ByteRange): Promise<Readable | undefined> {
    let handle: FileHandle;
    try {
      handle = await open(this.stored(uuid), READ);
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

  async delete(uuid: string): Promise<void> {
    await rm(this.stored(uuid), { force: true });
    await this.deleteIncoming(uuid);
  }

  async deleteIncoming(uuid: string): Promise<void> {
    try {
      await rm(path.dirname(this.incoming(uuid)), { recursive: true, force: true });
    } catch (error) {
      // A folder is not empty if another upload has just begun.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    }
  }

  async *list(): AsyncGenerator<ListedObject> {
    for (const folder of [INCOMING, STORED]) yield* this.listFolder(folder, folder === STORED);
  }

  private async *listFolder(folder: string, isStored: boolean): AsyncGenerator<ListedObject> {
    const entries = await opendir(path.join(this.root, folder)).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for await (const entry of entries) {
      const key = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        yield* this.listFolder(key, isStored);
        continue;
      }
      const status = await lstat(path.join(this.root, key)).catch(() => undefined);
      if (status === undefined) continue;
      const uuid = isStored ? entry.name : path.basename(folder);
      const expected = isStored
        ? this.stored(uuid)
        : path.join(path.dirname(this.incoming(uuid)), entry.name);
      const isOwn = entry.isFile() && UUID.test(uuid) && path.join(this.root, key) === expected;
      yield { uuid: isOwn ? uuid : undefined, key, isStored, modifiedAt: status.mtime };
    }
  }

  private incoming(uuid: string): string {
    return path.join(this.root, INCOMING, uuid, 'content');
  }

  private stored(uuid: string): string {
    return path.join(this.root, STORED, uuid.slice(-2), uuid);
  }

  private async makeFolderOf(file: string): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  }
}

/** A new file name survives a power failure only if its folder is synchronised. */
async function syncFolderOf(file: string): Promise<void> {
  const folder = await open(path.dirname(file), constants.O_RDONLY);
  await closeAfter(() => folder.sync(), [() => folder.close()]);
}

async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined))?.isFile() === true;
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';
