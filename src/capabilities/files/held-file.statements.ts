import { integer, nullable, type ColumnReader, statement, text } from '../../database/statement.js';
import type { FileState } from './entities/file.js';

const HELD = {
  uuid: text,
  field_id: integer,
  entity_record_id: nullable(integer),
  state: text as ColumnReader<FileState>,
};

/** Finds the files of a submission. */
export const FIND_FILES = statement(
  'values.find_files',
  'select uuid, field_id, entity_record_id, state from files where submission_uuid = $1',
  HELD,
);

/** Finds and locks the files, so that none is deleted before the transaction ends. */
export const LOCK_FILES = statement(
  'values.lock_files',
  'select uuid, field_id, entity_record_id, state from files where submission_uuid = $1 order by uuid for key share',
  HELD,
);
