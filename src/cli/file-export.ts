import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DataSource } from 'typeorm';
import { File, type FileState } from '../submissions/entities/file.js';
import { Spool } from '../files/spool.js';
import type { ExportedFile } from '../submissions/export/submission-pages.js';
import { sayToOperator } from '../process/say-to-operator.js';
import { CommandError } from './command-error.js';
import { counted } from './output.js';
import { openFiles } from './with-files.js';

interface Wanted extends Pick<ExportedFile, 'uuid' | 'name' | 'state'> {
  readonly submission: string;
}

/**
 * Writes files of exported submissions to a folder, by names that are made of UUIDs: what clients call them is in the export.
 * They are noted while the export reads the database, and read from the storage when its transaction has ended.
 */
export async function fileExport(folder: string) {
  const storage = await openFiles();
  const wanted = await Spool.open<Wanted>();
  let written = 0;
  let missing = 0;
  return {
    note: async ({ uuid: submission }: { readonly uuid: string }, files: readonly ExportedFile[]) => {
      if (files.length === 0) return;
      await wanted.add(files.map(({ uuid, name, state }) => ({ submission, uuid, name, state })));
    },
    write: async (dataSource: DataSource) => {
      for await (const file of wanted.items()) {
        const content = file.state === 'infected' ? undefined : await storage.read(file.uuid);
        if (content !== undefined) {
          await writeFile(folder, file, content);
          written += 1;
          continue;
        }
        // Files are deleted while the export goes on, too.
        const now = await dataSource.manager.findOneBy(File, { uuid: file.uuid });
        sayToOperator(`${reasonFor(file.uuid, now?.state)}.`);
        if (isMissing(now?.state)) missing += 1;
      }
    },
    close: () => wanted.close(),
    /** @throws CommandError where some could not be written */
    end: () => {
      sayToOperator(`Wrote ${counted(written, 'file')} to ${folder}.`);
      if (missing > 0)
        throw new CommandError(
          `The bytes of ${counted(missing, 'file')} are missing. "files sweep" says which.`,
        );
    },
  };
}

async function writeFile(folder: string, { submission, uuid, name }: Wanted, content: Readable) {
  const [extension = ''] = /\.[a-z0-9]{1,10}$/i.exec(name) ?? [];
  const target = path.join(folder, submission, uuid + extension);
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await pipeline(content, createWriteStream(target));
  } catch (error) {
    throw new CommandError(`File ${uuid} could not be written to ${target}: ${(error as Error).message}.`);
  }
}

/** `state` is that of the file by now; undefined: it was deleted. */
const isMissing = (state: FileState | undefined) => state !== undefined && state !== 'infected';

function reasonFor(uuid: string, state: FileState | undefined): string {
  if (isMissing(state)) return `The bytes of file ${uuid} are missing`;
  return state === undefined
    ? `File ${uuid} was deleted after the export had begun and is left out`
    : `File ${uuid} is infected and left out`;
}
