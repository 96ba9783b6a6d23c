import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openStorage } from '../files/storage/open-storage.js';
import type { ExportedFile } from '../submissions/export/submission-pages.js';
import { CommandError } from './command-error.js';
import { counted, say } from './output.js';
import { filesUrl } from './with-files.js';

/** Writes files of exported submissions to a folder, by names that are made of UUIDs: what clients call them is in the export. */
export async function fileExport(folder: string) {
  const storage = await openStorage(filesUrl());
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
        await mkdir(path.join(folder, submission), { recursive: true });
        const [extension = ''] = /\.[a-z0-9]{1,10}$/i.exec(name) ?? [];
        await pipeline(content, createWriteStream(path.join(folder, submission, uuid + extension)));
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
