import type { EntityManager } from 'typeorm';
import { isoTimestampSql } from '../../../database/iso-timestamp.js';
import type { PersonalFile, ReadContent } from '../../../server/hooks.js';
import { readEnvironment } from '../../../server/read-environment.js';
import { File } from '../entities/file.js';
import type { FileSettings } from '../settings.js';
import { extensionOf, isMissing, reasonFor } from './file-export.js';
import { openFiles } from './with-files.js';

const FIND_FILES = `
  select uuid, submission_uuid, field_id, entity_record_id::float8 as entity_record_id, name, size, media_type,
         encode(sha256, 'hex') as sha256, state, ${isoTimestampSql('created_at')} as created_at
    from files where submission_uuid = any ($1) order by uuid`;

/** Finds all files of some submissions, also those to which no value refers. */
export async function filesOf(
  manager: EntityManager,
  submissions: readonly string[],
): Promise<PersonalFile[]> {
  const files = await manager.query<Omit<PersonalFile, 'extension'>[]>(FIND_FILES, [submissions]);
  return files.map((file) => ({ ...file, extension: extensionOf(file.name) }));
}

/** Returns undefined if FILES_URL is not set. */
export async function openContents(): Promise<ReadContent | undefined> {
  const environment = await readEnvironment(process.env);
  if (environment.of<FileSettings>().filesUrl === undefined) return undefined;
  const storage = await openFiles(environment);
  return async ({ manager }, { uuid, state }) => {
    if (state === 'pending')
      return { leftOut: `The upload of file ${uuid} is not finished.`, isMissing: false };
    const content = state === 'infected' ? undefined : await storage.read(uuid);
    if (content !== undefined) return { content };
    // The file may have been deleted during the export.
    const now = await manager.findOneBy(File, { uuid });
    return { leftOut: `${reasonFor(uuid, now?.state)}.`, isMissing: isMissing(now?.state) };
  };
}
