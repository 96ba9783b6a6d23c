import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ExportedFile } from '../submissions/export/submission-pages.js';
import { CommandError } from './command-error.js';
import { counted, say } from './output.js';
import { openFiles } from './with-files.js';

/** Writes files of exported submissions to a folder, by names that are made of UUIDs: what clients call them is in the export. */
export async function fileExport(folder: string) {
  const storage = await openFiles();
  let written = 0;
  let missing = 0;
  return {
    take: async ({ uuid: submission }: { readonly uuid: string }, files: readonly ExportedFile[]) => {
      for (const { uuid, name, state } of files) {
        const content = state === 'infected' ? undefined : await storage.read(uuid);
        if (content === undefined) {
          say(
            state === 'infected'
              ? `File ${uuid} is infected and left out.`
              : `The bytes of file ${uuid} are missing.`,
          );
          if (state !== 'infected') missing += 1;
          continue;
        }
        const [extension = ''] = /\.[a-z0-9]{1,10}$/i.exec(name) ?? [];
        const target = path.join(folder, submission, uuid + extension);
        try {
          await mkdir(path.dirname(target), { recursive: true });
          await pipeline(content, createWriteStream(target));
        } catch (error) {
          throw new CommandError(
            `File ${uuid} could not be written to ${target}: ${(error as Error).message}.`,
          );
        }
        written += 1;
      }
    },
    /** @throws CommandError where some could not be written */
    end: () => {
      say(`Wrote ${counted(written, 'file')} to ${folder}.`);
      if (missing > 0)
        throw new CommandError(
          `The bytes of ${counted(missing, 'file')} are missing. "files sweep" says which.`,
        );
    },
  };
}
