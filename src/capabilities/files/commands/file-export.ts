import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DataSource } from 'typeorm';
import type { ExportExtension } from '../../../server/hooks.js';
import { requireOneServer } from '../../../database/distribution.js';
import { File, type FileState } from '../entities/file.js';
import { Spool } from '../spool.js';
import { type ExportedFile, readDetails } from './exported-files.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import { CommandError } from '../../../cli/command-error.js';
import { counted } from '../../../cli/output.js';
import { openFiles } from './with-files.js';

interface QueuedFile extends Pick<ExportedFile, 'uuid' | 'name' | 'state'> {
  readonly submission: string;
}

/**
 * Describes the files that values of an export name. If `folder` is given, also copies the files to this folder, each named by its
 * UUID. The export has the original names.
 */
export async function fileExportExtension(folder: string | undefined): Promise<ExportExtension> {
  const copies = folder === undefined ? undefined : await copiesIn(folder);
  return {
    ...copies,
    begin: async (dataSource) => {
      if (copies !== undefined) await requireOneServer(dataSource, 'Files', 'Leave out --files.');
      return { files: copies !== undefined };
    },
    readDetails: (manager, page) => readDetails(manager, page, copies?.note),
  };
}

/**
 * `note` queues files while the export reads the database. `finish` copies the queued files from the storage after the transaction has
 * ended.
 */
async function copiesIn(folder: string) {
  const storage = await openFiles();
  const queue = await Spool.open<QueuedFile>();
  let written = 0;
  let missing = 0;
  return {
    note: (submission: string, { uuid, name, state }: ExportedFile) =>
      queue.add([{ submission, uuid, name, state }]),
    finish: async (dataSource: DataSource) => {
      for await (const file of queue.items()) {
        const content = file.state === 'infected' ? undefined : await storage.read(file.uuid);
        if (content !== undefined) {
          await writeFile(folder, file, content);
          written += 1;
          continue;
        }
        // The file may have been deleted during the export.
        const now = await dataSource.manager.findOneBy(File, { uuid: file.uuid });
        sayToOperator(`${reasonFor(file.uuid, now?.state)}.`);
        if (isMissing(now?.state)) missing += 1;
      }
    },
    close: () => queue.close(),
    report: () => {
      sayToOperator(`Wrote ${counted(written, 'file')} to ${folder}.`);
      if (missing > 0)
        throw new CommandError(
          `The content of ${counted(missing, 'file')} is missing. "files sweep" lists these files.`,
        );
    },
  };
}

async function writeFile(folder: string, { submission, uuid, name }: QueuedFile, content: Readable) {
  const target = path.join(folder, submission, uuid + extensionOf(name));
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await pipeline(content, createWriteStream(target));
  } catch (error) {
    throw new CommandError(`File ${uuid} could not be written to ${target}: ${(error as Error).message}.`);
  }
}

/** Returns the extension of a client's file name, if it is safe on any system, or else ''. */
export const extensionOf = (name: string): string => /\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? '';

export const isMissing = (state: FileState | undefined) => state !== undefined && state !== 'infected';

export function reasonFor(uuid: string, state: FileState | undefined): string {
  if (isMissing(state)) return `The content of file ${uuid} is missing`;
  return state === undefined
    ? `File ${uuid} was deleted after the export began and is left out`
    : `File ${uuid} is infected and is left out`;
}
