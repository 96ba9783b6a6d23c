import { bytes, integer, nullable, type Read, statement, text } from '../database/statement.js';
import { clampTimestamp, isoOf, microseconds } from '../database/iso-timestamp.js';
import type { FileState } from '../submissions/entities/file.js';

/** A file as the service needs it. */
export interface FileRow {
  readonly uuid: string;
  readonly field_id: number;
  readonly entity_record_id: number | null;
  readonly name: string;
  readonly size: number;
  readonly media_type: string;
  readonly sha256: string;
  readonly state: FileState;
  readonly created_at: string;
}

const COLUMNS = `files.uuid, field_id, entity_record_id, name, size, media_type, sha256, state,
  ${microseconds('files.created_at')}`;

const FILE = {
  uuid: text,
  field_id: integer,
  entity_record_id: nullable(integer),
  name: text,
  size: integer,
  media_type: text,
  sha256: (value: string) => bytes(value).toString('hex'),
  state: text as Read<FileState>,
  created_at: isoOf,
};

/** U5: what there is of a submission already; it must be locked, so that parallel calls count each other. */
export const COUNT_FILES = statement(
  'files.count',
  `select count(*) filter (where field_id = $2 and entity_record_id is not distinct from $3),
          count(*) filter (where state = 'pending'), coalesce(sum(size), 0)
     from files where submission_uuid = $1`,
  { ofField: integer, pending: integer, bytes: integer },
);

/** The bytes of all files that a user has announced. */
export const FILE_BYTES_OF_USER = statement(
  'files.bytes_of_user',
  `select coalesce(sum(size), 0) from files join submissions on submissions.uuid = submission_uuid where user_id = $1`,
  { bytes: integer },
);

export const INSERT_FILE = statement(
  'files.insert',
  `insert into files (uuid, submission_uuid, form_id, field_id, entity_record_id, name, size, media_type, sha256, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, decode($9, 'hex'), now() + interval '24 hours')
   returning ${COLUMNS}`,
  FILE,
);

/** With what its field says of it. */
export interface FoundFile extends FileRow {
  readonly field_code: string;
  readonly accept: string | null;
}

const FOUND_COLUMNS = `${COLUMNS}, fields.code, fields.accept`;

const FOUND = { ...FILE, field_code: text, accept: nullable(text) };

/** What a submission without such a file gives, which proves that the submission exists. */
type NoFile = { readonly [Name in keyof FoundFile]: null };

export const isFile = (row: FoundFile | NoFile): row is FoundFile => row.uuid !== null;

const findFiles = (name: string, ofSubmission: string, isWanted: string) =>
  statement<FoundFile | NoFile>(
    name,
    `select ${FOUND_COLUMNS} from submissions
       left join files on submission_uuid = submissions.uuid and ${isWanted}
       left join fields on fields.id = files.field_id
      where ${ofSubmission} order by files.uuid`,
    FOUND,
  );

/** File `$1` of submission `$2` of user `$3`. Gives no row if the user has no such submission (S1). */
export const FIND_FILE = findFiles('files.find', 'submissions.uuid = $2 and user_id = $3', 'files.uuid = $1');

/** All files of submission `$1` of user `$2`, in the order in which they were announced. Gives no row as above. */
export const LIST_FILES = findFiles('files.list', 'submissions.uuid = $1 and user_id = $2', 'true');

/** From now on it may be the value of its field; gives nothing where it is no longer pending. */
export const STORE_FILE = statement(
  'files.store',
  `update files set state = 'stored', media_type = $2, scan_at = now(), expires_at = now() + interval '24 hours'
     from fields where fields.id = field_id and files.uuid = $1 and state = 'pending' returning ${FOUND_COLUMNS}`,
  FOUND,
);

/** Triggers take the file along (U3). */
export const DELETE_VALUE_OF_FILE = statement(
  'files.delete_value',
  `delete from submission_values where submission_uuid = $1 and field_id = $2 and value = 'file:' || $3::uuid returning 1`,
  { deleted: integer },
);

export const DELETE_FILE = statement('files.delete', 'delete from files where uuid = $1', {});

// What is due is claimed by putting it off: others skip it, and it comes back by itself where whoever claimed it has died.

/** Those whose bytes are to be deleted now, at most `$1`. */
export const CLAIM_DELETIONS = statement(
  'files.claim_deletions',
  `update file_deletions set due_at = now() + interval '1 minute'
    where uuid in (select uuid from file_deletions where due_at <= now() order by due_at limit $1 for update skip locked)
   returning uuid, submission_uuid`,
  { uuid: text, submission_uuid: nullable(text) },
);

/** Of bytes that were deleted: for good, or once more when nobody can still be uploading them. */
export const FINISH_DELETION = statement(
  'files.finish_deletion',
  `with finished as (delete from file_deletions where uuid = $1 and until <= now())
   update file_deletions set due_at = until where uuid = $1 and until > now()`,
  {},
);

/** By how many seconds the first deletion is late. */
export const FIND_LATE_DELETIONS = statement(
  'files.late_deletions',
  `select coalesce(extract(epoch from now() - ${clampTimestamp('min(due_at)')}), 0) from file_deletions where due_at <= now()`,
  { seconds: Number },
);

/**
 * How many deletions and scans wait, as far as 10,000. A deletion that was done once and waits for `until` to be done again
 * does not count.
 */
export const COUNT_WAITING_WORK = statement(
  'files.waiting',
  `select (select count(*) filter (where due_at <= now() or due_at < until)
             from (select due_at, until from file_deletions order by due_at limit 10000) first),
          (select count(*) from (select from files where state = 'stored' order by scan_at limit 10000) first)`,
  { deletion: integer, scan: integer },
);

/** Stored files that nobody is scanning, at most `$1`. */
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

/** `$2`: clean, or infected, of which the bytes are to be deleted (U6). */
export const STORE_SCAN = statement(
  'files.store_scan',
  `with scanned as (
     update files set state = $2::varchar where uuid = $1 and state = 'stored' returning uuid, submission_uuid, state
   )
   insert into file_deletions (uuid, submission_uuid, until)
   select uuid, submission_uuid, now() + interval '1 hour' from scanned where state = 'infected' on conflict do nothing`,
  {},
);

/** Locks the submissions of at most `$1` files that have expired, as every write to them does; skips what others have locked. */
export const LOCK_EXPIRED = statement(
  'files.lock_expired',
  `select submissions.uuid from submissions
    where uuid in (select submission_uuid from files where expires_at <= now() order by expires_at limit $1)
    for no key update skip locked`,
  { uuid: text },
);

/** Of those submissions: what no value holds by now goes, what one holds stays for good (U7). */
export const EXPIRE_FILES = statement(
  'files.expire',
  `with expired as (
     select uuid, exists (select from submission_values held
              where held.submission_uuid = files.submission_uuid and held.field_id = files.field_id
                and held.value = 'file:' || files.uuid) as is_held
       from files where submission_uuid = any ($1) and expires_at <= now()
   ), kept as (
     update files set expires_at = null from expired where files.uuid = expired.uuid and is_held
   )
   delete from files using expired where files.uuid = expired.uuid and not is_held returning files.uuid`,
  { uuid: text },
);
