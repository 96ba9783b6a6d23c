import type { EntityManager } from 'typeorm';
import { FILE_COMPONENT } from '../../../forms/field-types.js';
import type { ExportedPage, FindDetail, ValueDetail } from '../../../server/hooks.js';
import type { FileState } from '../entities/file.js';

/** The file that the value of a file field names (U3). */
export interface ExportedFile {
  readonly uuid: string;
  readonly name: string;
  readonly size: number;
  readonly media_type: string;
  readonly sha256: string;
  readonly state: FileState;
}

const FIND_FILES = `
  select submission_uuid, json_build_object('uuid', uuid, 'name', name, 'size', size, 'media_type', media_type,
           'sha256', encode(sha256, 'hex'), 'state', state) as file
    from files where submission_uuid = any ($1)`;

/** Describes the files of some submissions. `note` is called for each value that names a file, after it was written. */
export async function readDetails(
  manager: EntityManager,
  { components, uuids }: ExportedPage,
  note?: (submission: string, file: ExportedFile) => Promise<void>,
): Promise<FindDetail | undefined> {
  if (!components.has(FILE_COMPONENT)) return undefined;
  const found = await manager.query<{ submission_uuid: string; file: ExportedFile }[]>(FIND_FILES, [uuids]);
  const details = new Map(
    found.map(({ submission_uuid: submission, file }): [string, ValueDetail] => [
      `${submission} file:${file.uuid}`,
      {
        key: 'file',
        content: file,
        text: described(file),
        ...(note && { onWritten: () => note(submission, file) }),
      },
    ]),
  );
  return (submission, value) => details.get(`${submission} ${value}`);
}

const described = ({ uuid, name, size, media_type, sha256 }: ExportedFile) =>
  `${name} (${size} bytes, ${media_type}, sha256 ${sha256}, file:${uuid})`;
