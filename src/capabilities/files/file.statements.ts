import { bytes, integer, nullable, type ColumnReader, statement, text } from '../../database/statement.js';
import { isoOf, microsecondsSql } from '../../database/iso-timestamp.js';
import type { FileState } from './entities/file.js';

const COLUMNS = `files.uuid, field_id, entity_record_id, name, size, media_type, sha256, state,
  ${microsecondsSql('files.created_at')}`;

const FILE = {
  uuid: text,
  field_id: integer,
  entity_record_id: nullable(integer),
  name: text,
  size: integer,
  media_type: text,
  sha256: (value: string) => bytes(value).toString('hex'),
  state: text as ColumnReader<FileState>,
  created_at: isoOf,
};

export type FileRow = { readonly [Name in keyof typeof FILE]: ReturnType<(typeof FILE)[Name]> };

/** Counts the files that a submission has (U5). Lock the submission first, so that parallel calls count each other's files. */
export const COUNT_FILES = statement(
  'files.count',
  `select count(*) filter (where field_id = $2 and entity_record_id is not distinct from $3),
          count(*) filter (where state = 'pending'), coalesce(sum(size), 0)
     from files where submission_uuid = $1`,
  { ofField: integer, pending: integer, bytes: integer },
);

export const INSERT_FILE = statement(
  'files.insert',
  `insert into files (uuid, submission_uuid, form_id, field_id, entity_record_id, name, size, media_type, sha256, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, decode($9, 'hex'), now() + interval '24 hours')
   returning ${COLUMNS}`,
  FILE,
);

export interface FoundFile extends FileRow {
  readonly field_code: string;
  readonly accept: string | null;
}

const FOUND_COLUMNS = `${COLUMNS}, fields.code, fields.accept`;

const FOUND = { ...FILE, field_code: text, accept: nullable(text) };

/** The row of a submission that does not have the file. */
type NoFile = { readonly [Name in keyof FoundFile]: null };

export const isFile = (row: FoundFile | NoFile): row is FoundFile => row.uuid !== null;

const fileQuery = (name: string, ofSubmission: string, isWanted: string) =>
  statement<FoundFile | NoFile>(
    name,
    `select ${FOUND_COLUMNS} from submissions
       left join files on submission_uuid = submissions.uuid and ${isWanted}
       left join fields on fields.id = files.field_id
      where ${ofSubmission} order by files.uuid`,
    FOUND,
  );

/** Finds file `$1` of submission `$2` of user `$3`. Returns no row if the user has no such submission (S1). */
export const FIND_FILE = fileQuery('files.find', 'submissions.uuid = $2 and user_id = $3', 'files.uuid = $1');

/**
 * Finds all files of submission `$1` of user `$2`, in the order in which their uploads were created. Returns no row if
 * the user has no such submission.
 */
export const LIST_FILES = fileQuery('files.list', 'submissions.uuid = $1 and user_id = $2', 'true');

/** Makes a pending file usable as a value of its field. Returns no row if the file is no longer pending. */
export const STORE_FILE = statement(
  'files.store',
  `update files set state = 'stored', media_type = $2, scan_at = now(), expires_at = now() + interval '24 hours'
     from fields where fields.id = field_id and files.uuid = $1 and state = 'pending' returning ${FOUND_COLUMNS}`,
  FOUND,
);

/** Deletes the value that references a file. Triggers delete the file together with the value (U3). */
export const DELETE_VALUE_OF_FILE = statement(
  'files.delete_value',
  `delete from submission_values where submission_uuid = $1 and field_id = $2 and value = 'file:' || $3::uuid returning 1`,
  { deleted: integer },
);

export const DELETE_FILE = statement('files.delete', 'delete from files where uuid = $1', {});

// A worker claims rows by postponing their due time. Other workers skip these rows, which become due again if the worker dies.

/** Claims at most `$1` due deletions of content. */
export const CLAIM_DELETIONS = statement(
  'files.claim_deletions',
  `update file_deletions set due_at = now() + interval '1 minute'
    where uuid in (select uuid from file_deletions where due_at <= now() order by due_at limit $1 for update skip locked)
   returning uuid, submission_uuid`,
  { uuid: text, submission_uuid: nullable(text) },
);

/** Finishes a deletion. Before `until`, a client may still send the content, so the deletion is repeated at `until`. */
export const FINISH_DELETION = statement(
  'files.finish_deletion',
  `with finished as (delete from file_deletions where uuid = $1 and until <= now())
   update file_deletions set due_at = until where uuid = $1 and until > now()`,
  {},
);

/** Reads the delay of the oldest due deletion, in seconds. */
export const FIND_LATE_DELETIONS = statement(
  'files.late_deletions',
  'select coalesce(extract(epoch from now() - min(due_at)), 0) from file_deletions where due_at <= now()',
  { seconds: Number },
);

/**
 * The number of waiting deletions and scans, each counted up to 10,000. Excludes deletions that are done, and wait
 * only for their repetition at `until`.
 */
export const COUNT_WAITING_WORK = statement(
  'files.waiting',
  `select (select count(*) filter (where due_at <= now() or due_at < until)
             from (select due_at, until from file_deletions order by due_at limit 10000) first),
          (select count(*) from (select from files where state = 'stored' order by scan_at limit 10000) first)`,
  { deletion: integer, scan: integer },
);

/** Claims at most `$1` stored files for scanning. */
export const CLAIM_SCANS = statement(
  'files.claim_scans',
  `update files set scan_at = now() + interval '5 minutes'
    where uuid in (select uuid from files where state = 'stored' and scan_at <= now()
                    order by scan_at limit $1 for update skip locked)
   returning uuid, submission_uuid`,
  { uuid: text, submission_uuid: text },
);

export const PUT_OFF_SCAN = statement(
  'files.put_off_scan',
  `update files set scan_at = now() + interval '15 seconds' where uuid = $1 and state = 'stored'`,
  {},
);

/** Stores the state `$2` of a scan, and queues the content of an infected file for deletion (U6). */
export const STORE_SCAN = statement(
  'files.store_scan',
  `with scanned as (
     update files set state = $2::varchar where uuid = $1 and state = 'stored' returning uuid, submission_uuid, state
   )
   insert into file_deletions (uuid, submission_uuid, until)
   select uuid, submission_uuid, now() + interval '1 hour' from scanned where state = 'infected' on conflict do nothing`,
  {},
);

/** Locks the submissions of at most `$1` expired files, as every write to a submission does. Skips locked submissions. */
export const LOCK_SUBMISSIONS_OF_EXPIRED_FILES = statement(
  'files.lock_expired',
  `select submissions.uuid from submissions
    where uuid in (select submission_uuid from files where expires_at <= now() order by expires_at limit $1)
    for no key update skip locked`,
  { uuid: text },
);

/** Deletes the expired files that no value references. Expired files that a value references never expire again (U7). */
export const EXPIRE_FILES = statement(
  'files.expire',
  `with expired as (
     select uuid, exists (select from submission_values held
              where held.submission_uuid = files.submission_uuid and held.field_id = files.field_id
                and held.value = 'file:' || files.uuid) as is_referenced
       from files where submission_uuid = any ($1) and expires_at <= now()
   ), kept as (
     update files set expires_at = null from expired where files.uuid = expired.uuid and is_referenced
   )
   delete from files using expired where files.uuid = expired.uuid and not is_referenced returning files.uuid`,
  { uuid: text },
);
