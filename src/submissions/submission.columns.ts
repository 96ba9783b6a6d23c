import {
  isoOf,
  isoTimestampSql,
  laterThanSql,
  microsecondsSql,
  microsecondsOf,
} from '../database/iso-timestamp.js';
import {
  boolean,
  type Columns,
  integer,
  json,
  nullable,
  type ColumnReader,
  text,
} from '../database/statement.js';
import { SUBMISSION_EXTENSION, type SubmissionExtension } from './entities/submission.js';
import type { SubmissionReference } from './submission-reference.decorator.js';
import type { FoundSubmission, ShownSubmission, SubmissionRow } from './submission.rows.js';

export const STEP_COUNT = '(select count(*) from steps where steps.form_id = submissions.form_id)';

export const FORM_VERSION = '(select forms.version from forms where forms.id = submissions.form_id)';

/**
 * The position of a submission among the steps of its form, from 1 (S14). The submission keeps the id of its step. If this step was
 * deleted, `deleted_steps` names the step before it. If another program has moved or begun the submission by `current_step`
 * alone, this position holds. The function `formtrail_position` is the same for triggers.
 */
export const POSITION = `(select greatest(1, case when submissions.step_position = submissions.current_step
      then count(*) filter (where until.step_number <= (
        select held.step_number from steps as held
         where held.form_id = submissions.form_id and held.id = coalesce(
           (select moved_to from deleted_steps where deleted_steps.id = submissions.step_id), submissions.step_id)))
      else least(submissions.current_step, count(*)) end)::integer
    from steps as until where until.form_id = submissions.form_id)`;

const columnsSql = (position: string) => `submissions.uuid, submissions.form_id, status, ${position}, meta,
  ${microsecondsSql('created_at')}, ${microsecondsSql('updated_at')}`;

const COLUMNS = columnsSql(POSITION);

const STEP_ID = 'case when submissions.step_position = submissions.current_step then submissions.step_id end';
export const STORED_COLUMNS = columnsSql(`${STEP_ID}, submissions.current_step`);

const BEFORE_STEP = { uuid: text, form_id: integer, status: text as ColumnReader<SubmissionRow['status']> };
const AFTER_STEP = {
  meta: nullable(json<Record<string, unknown>>()),
  created_at: isoOf,
  updated_at: isoOf,
};
export const SUBMISSION: Columns<SubmissionRow> = { ...BEFORE_STEP, current_step: integer, ...AFTER_STEP };
export const STORED_SUBMISSION = {
  ...BEFORE_STEP,
  step_id: nullable(integer),
  stored_position: integer,
  ...AFTER_STEP,
};

export const EXTENSION_ONLY = SUBMISSION_EXTENSION.join(', ');
export const EXTENSION = Object.fromEntries(
  SUBMISSION_EXTENSION.map((column) => [column, nullable(text)]),
) as Columns<SubmissionExtension>;

export const SHOWN_ONLY = `is_test, begun_version, completed_version, ${EXTENSION_ONLY}, ${microsecondsSql('anonymized_at')}`;
export const SHOWN_COLUMNS = `${COLUMNS}, ${SHOWN_ONLY}`;
/** A new draft is on the first step of the version in which it is begun. */
export const CREATED_COLUMNS = `${columnsSql('current_step')}, ${SHOWN_ONLY}`;

export const SHOWN = {
  is_test: boolean,
  begun_version: nullable(integer),
  completed_version: nullable(integer),
  ...EXTENSION,
  anonymized_at: nullable(isoOf),
};
export const SHOWN_SUBMISSION: Columns<ShownSubmission> = { ...SUBMISSION, ...SHOWN };

export const FOUND: Columns<FoundSubmission> = {
  ...SUBMISSION,
  value_count: nullable(integer),
  value_bytes: nullable(integer),
  step_count: integer,
  form_version: integer,
};
export const FOUND_COLUMNS = `${COLUMNS}, value_count, value_bytes, ${STEP_COUNT}, ${FORM_VERSION}`;
export const OWN = 'uuid = $1 and user_id = $2';

/** Parameters that name a submission and its owner. */
export const OWNED = { uuid: 'uuid', user_id: 'integer' } as const;

/** Parameters of writes, which also check `If-Match` (S11): see {@link ifMatchVersions}. */
export const UNCHANGED = { ...OWNED, if_match: 'text' } as const;

/**
 * Converts the ETags of `If-Match` into a parameter of a statement. Returns null if every version is accepted. Drops ETags
 * that are not timestamps, because they match no submission.
 */
export function ifMatchVersions(ifMatch: readonly string[] | undefined): string | null {
  return ifMatch === undefined
    ? null
    : numberList(ifMatch.map(microsecondsOf).filter((one) => one !== undefined));
}

/** Formats numbers as a parameter for {@link numbersSql}. */
export const numberList = (numbers: readonly (number | string)[]): string => numbers.join();

export const numbersSql = (list: string) => `string_to_array(${list}, ',')::bigint[]`;

export const IS_OWNED = 'submissions.uuid = input.uuid and submissions.user_id = input.user_id';

export const IS_OWNED_AND_UNCHANGED = `${IS_OWNED}
      and (if_match is null or ${microsecondsSql('updated_at')} = any (${numbersSql('if_match')}))`;

/**
 * For statements whose first parameters are {@link versionOf}. Skips a submission that another transaction has locked, so that the request
 * waits without a connection (ADR 7).
 */
export const unlockedAndUnchangedSql = (lock = 'for no key update') => `${OWN}
      and exists (select from submissions as own where own.uuid = $1 and own.user_id = $2 ${lock} skip locked)
      and ($3::text is null or ${microsecondsSql('updated_at')} = any (${numbersSql('$3::text')}))`;

/** The first parameters of writes: the submission, its user, and the versions that the request expects (S11). */
export const versionOf = ({ uuid, userId, ifMatch }: SubmissionReference) =>
  [uuid, userId, ifMatchVersions(ifMatch)] as const;

export const LOCKS = {
  locks: { join: `join submissions on ${IS_OWNED}`, lock: 'for no key update of submissions' },
};

/** Strictly increasing even if the clock stands still, because it is the ETag (S6, S11). */
export const NEXT_UPDATED_AT = laterThanSql('updated_at');

export const IS_OF_INPUT = 'submission_uuid = input.uuid';

export const recordsSql = (condition: string) => `(select coalesce(json_agg(
       json_build_array(id, entity_id, ${isoTimestampSql('entity_records.created_at')}) order by id), '[]')
      from entity_records where ${condition})`;
