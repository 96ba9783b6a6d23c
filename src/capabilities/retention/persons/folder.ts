import { createWriteStream } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../../../cli/command-error.js';

const READ_BY_OWNER = { folder: 0o700, file: 0o600 };
const INDEX = 'index.html';
/** The index has this name until everything is written, so that no unfinished export looks complete. */
export const UNFINISHED_INDEX = 'index.unfinished';

/** A folder of an export, which only its owner may read. */
export class Folder {
  private constructor(readonly path: string) {}

  /**
   * Checks a folder, but creates nothing.
   *
   * @throws CommandError if the folder exists and is not empty
   */
  static async at(name: string): Promise<Folder> {
    const folder = path.resolve(name);
    const entries = await readdir(folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw unusable(folder, error as Error);
    });
    if (entries.length === 0) return new Folder(folder);
    throw new CommandError(`The folder ${folder} is not empty. Name a new or an empty folder with --out.`);
  }

  async create(): Promise<void> {
    try {
      await mkdir(this.path, { recursive: true, mode: READ_BY_OWNER.folder });
      await chmod(this.path, READ_BY_OWNER.folder);
    } catch (error) {
      throw unusable(this.path, error as Error);
    }
  }

  /** Creates a file for text. `name` must not contain anything that a user has chosen. */
  open(name: string): Promise<FileHandle> {
    return open(path.join(this.path, name), 'wx+', READ_BY_OWNER.file);
  }

  /** Writes a file below the folder. `name` is relative, and must not contain anything that a user has chosen. */
  async write(name: string, content: Readable): Promise<void> {
    const file = path.join(this.path, name);
    await mkdir(path.dirname(file), { recursive: true, mode: READ_BY_OWNER.folder });
    await pipeline(content, createWriteStream(file, { flags: 'wx', mode: READ_BY_OWNER.file }));
  }

  remove(name: string): Promise<void> {
    return rm(path.join(this.path, name));
  }

  /** Shows that the export is complete. */
  finish(): Promise<void> {
    return rename(path.join(this.path, UNFINISHED_INDEX), path.join(this.path, INDEX));
  }
}

const unusable = (folder: string, { message }: Error) =>
  new CommandError(`The folder ${folder} cannot be used (${message}). Name another one with --out.`);
