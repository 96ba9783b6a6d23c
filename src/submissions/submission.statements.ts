import {
  batchedStatement,
  boolean,
  integer,
  nullable,
  type Parameter,
  statement,
} from '../database/statement.js';
import type { PublishedForm } from '../forms/published-form.js';
import type { PatchSubmissionDto } from './dto/patch-submission.dto.js';
import { SUBMISSION_EXTENSION, type SubmissionExtension } from './entities/submission.js';
import {
  CREATED_COLUMNS,
  EXTENSION_ONLY,
  FORM_VERSION,
  FOUND,
  FOUND_COLUMNS,
  IS_OWNED,
  NEXT_UPDATED_AT,
  numberList,
  OWN,
  OWNED,
  SHOWN_SUBMISSION,
  STORED_COLUMNS,
  STORED_SUBMISSION,
  unlockedAndUnchangedSql,
} from './submission.columns.js';

const NEW_SUBMISSION = {
  ...{ uuid: 'uuid', form_id: 'integer', user_id: 'integer', begun_version: 'integer', step_id: 'integer' },
  ...(Object.fromEntries(SUBMISSION_EXTENSION.map((column) => [column, 'text'])) as Record<
    keyof SubmissionExtension,
    'text'
  >),
} as const;

/** The columns of capabilities in a new submission, as parameters. */
export const newExtension = (columns: Partial<SubmissionExtension> | undefined): Parameter[] =>
  SUBMISSION_EXTENSION.map((column) => columns?.[column] ?? null);

export const CREATE_SUBMISSION = batchedStatement(
  'submissions.create',
  NEW_SUBMISSION,
  (
    input,
  ) => `insert into submissions (uuid, form_id, user_id, begun_version, step_id, step_position, ${EXTENSION_ONLY})
   select uuid, form_id, user_id, begun_version, step_id, 1, ${EXTENSION_ONLY} from ${input}
   returning array_position($1, uuid), ${CREATED_COLUMNS}`,
  SHOWN_SUBMISSION,
  {
    locks: {
      join: 'join users on users.id = input.user_id join forms on forms.id = input.form_id',
      // The foreign keys take the same locks.
      lock: 'for key share of users, forms',
    },
  },
);

/**
 * Like {@link CREATE_SUBMISSION}, if all conditions hold. Locks the user first: a volatile condition then sees every draft that
 * another transaction has committed. Without `offset 0`, PostgreSQL would evaluate the conditions before it locks.
 */
export const createSubmissionWhere = (name: string, conditions: readonly string[]) =>
  batchedStatement(
    name,
    { ...NEW_SUBMISSION, is_test: 'boolean' },
    (
      input,
    ) => `insert into submissions (uuid, form_id, user_id, begun_version, step_id, step_position, ${EXTENSION_ONLY}, is_test)
   select uuid, form_id, user_id, begun_version, step_id, 1, ${EXTENSION_ONLY}, is_test
     from ${input} where ${['true', ...conditions].join(' and ')}
   returning array_position($1, uuid), ${CREATED_COLUMNS}`,
    SHOWN_SUBMISSION,
    {
      locks: {
        join: 'join users on users.id = input.user_id join forms on forms.id = input.form_id',
        lock: 'offset 0 for key share of forms skip locked for no key update of users',
      },
    },
  );

export const FIND_FORM_OF_SUBMISSION = batchedStatement(
  'submissions.find_form',
  OWNED,
  (input) => `select position, form_id from ${input} join submissions on ${IS_OWNED}`,
  { form_id: integer },
);

export const FIND_SUBMISSION = statement(
  'submissions.find',
  `select ${FOUND_COLUMNS} from submissions where ${OWN}`,
  FOUND,
);

/** Finds out why a submission was not created: the form or the user was deleted, or one of them is locked. */
export const FIND_FORM_AND_USER = statement(
  'submissions.find_form_and_user',
  'select exists (select from forms where id = $1), exists (select from users where id = $2)',
  { hasForm: boolean, hasUser: boolean },
);

/**
 * Locks the submission, so that no other transaction writes to it or stores values in it (S12). Returns no row if another
 * transaction has locked it.
 */
export const LOCK_SUBMISSION = statement(
  'submissions.lock',
  `select ${FOUND_COLUMNS} from submissions where ${OWN} for no key update skip locked`,
  FOUND,
);

/**
 * Updates status and meta (S3, S5). A parameter is null if the request omits the property. The JSON text `null` clears the meta.
 * A draft that is completed must still have the form by which it was judged. It keeps the version of this form (N2), and which values were
 * hidden (X1): see `hidden-values.ts`. If the values were checked, the form must still have this version (S4). The time of completion is
 * set here too, because distributed tables have no triggers. Triggers learn by which version of the form the draft was judged. `$4` is the status, `$5` the meta, `$6` the version, `$7` whether the values were
 * checked, `$8` the hidden values, `$9` the form, or null if nothing is completed, `$10` the columns of capabilities that change, as JSON.
 */
export const PATCH_SUBMISSION = statement(
  'submissions.patch',
  `update submissions
      set status = coalesce($4::varchar, status),
          meta = case when $5::json is null then meta else nullif($5::json::text, 'null')::json end,
          completed_version = case when status = 'draft' and $4 = 'completed' then $6::integer else completed_version end,
          completed_at = case when status = 'draft' and $4 = 'completed' then ${NEXT_UPDATED_AT} else completed_at end,
          hidden_values = case when status = 'draft' and $4 = 'completed' then string_to_array($8::text, ',') else hidden_values end,
          ${SUBMISSION_EXTENSION.map((column) => `${column} = case when $10::json -> '${column}' is null then ${column} else $10::json ->> '${column}' end,`).join(' ')}
          updated_at = ${NEXT_UPDATED_AT}
    where ${unlockedAndUnchangedSql()}
      and case when status = 'draft' then ($9::integer is null or form_id = $9) and (not $7::boolean or ${FORM_VERSION} = $6)
                                      and ($6 is null or set_config('formtrail.judged_version', $6::text, true) <> '')
               else $4 is distinct from 'draft' end
  returning ${STORED_COLUMNS}, completed_version`,
  { ...STORED_SUBMISSION, completed_version: nullable(integer) },
);

/** The changes that a request makes to a submission. */
export interface SubmissionChanges extends Pick<PatchSubmissionDto, 'status' | 'meta'> {
  /** The columns of capabilities. Undefined: none changes. */
  readonly extension?: Partial<SubmissionExtension> | undefined;
}

/** The parameters of {@link PATCH_SUBMISSION} after the reference. */
export const patchOf = (
  { status, meta, extension }: SubmissionChanges,
  form?: Pick<PublishedForm, 'id' | 'version'>,
  isChecked = false,
  hidden: readonly string[] = [],
): Parameter[] => [
  status ?? null,
  meta === undefined ? null : JSON.stringify(meta),
  form?.version ?? null,
  isChecked,
  hidden.length === 0 ? null : numberList(hidden),
  form?.id ?? null,
  extension === undefined ? null : JSON.stringify(extension),
];

/**
 * Foreign keys delete the values and records together with the submission (O2). Triggers learn that its user deletes it. The lock is that of the deletion itself, which waits for
 * requests that are adding a value or a record.
 */
export const DELETE_SUBMISSION = statement(
  'submissions.delete',
  `delete from submissions where ${unlockedAndUnchangedSql('for update')} and status = 'draft'
      and set_config('formtrail.deletion_reason', 'user', true) <> ''
  returning true`,
  { isDeleted: boolean },
);
