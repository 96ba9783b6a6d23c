import { isoOf, microsecondsSql } from '../../database/iso-timestamp.js';
import {
  batchedStatement,
  boolean,
  type Columns,
  integer,
  statement,
  text,
} from '../../database/statement.js';
import {
  FORM_VERSION,
  IS_OWNED_AND_UNCHANGED,
  LOCKS,
  NEXT_UPDATED_AT,
  POSITION,
  STEP_COUNT,
  UNCHANGED,
  unlockedAndUnchangedSql,
} from '../submission.columns.js';
import type { MovedSubmission } from '../submission.rows.js';

const MOVED: Columns<MovedSubmission> = {
  uuid: text,
  form_id: integer,
  step_id: integer,
  stored_position: integer,
  updated_at: isoOf,
};
const MOVED_COLUMNS = `submissions.uuid, submissions.form_id, submissions.step_id, current_step, ${microsecondsSql('updated_at')}`;

/** Whether `held` is the step of the submission. */
const IS_SETTLED = `submissions.step_position = submissions.current_step
      and held.id = submissions.step_id and held.form_id = submissions.form_id`;

/** Moves to the nearest step on one side of the current step. `current_step` and `step_position` stay equal, so that the `step_id` holds. */
const moveToNearest =
  (side: '>' | '<', order: 'asc' | 'desc', position: string) => (input: string) => `update submissions
      set current_step = ${position}, updated_at = ${NEXT_UPDATED_AT}, step_id = reached.id, step_position = ${position}
     from ${input}
    cross join steps as held
    cross join lateral (
      select near.id from steps as near where near.form_id = held.form_id and near.step_number ${side} held.step_number
       order by near.step_number ${order} limit 1
    ) as reached
    where ${IS_OWNED_AND_UNCHANGED} and status = 'draft' and ${IS_SETTLED}
  returning position, ${MOVED_COLUMNS}`;

/** A single statement, so that no burst of calls moves past the last step (S9). */
export const ADVANCE_SUBMISSION = batchedStatement(
  'submissions.advance',
  UNCHANGED,
  moveToNearest('>', 'asc', 'current_step + 1'),
  MOVED,
  LOCKS,
);

export const RETREAT_SUBMISSION = batchedStatement(
  'submissions.retreat',
  UNCHANGED,
  moveToNearest('<', 'desc', 'greatest(1, current_step - 1)'),
  MOVED,
  LOCKS,
);

/**
 * Stores the id of the step that a draft is on, if its own was deleted, or if another program has moved it by `current_step`. The ETag
 * stays. Only then can {@link ADVANCE_SUBMISSION} and {@link RETREAT_SUBMISSION} move the draft, which are simpler thereby.
 */
export const SETTLE_SUBMISSION = statement(
  'submissions.settle',
  `update submissions
      set (current_step, step_id, step_position) = (
        select found.position, reached.id, found.position
          from (select ${POSITION} as position offset 0) as found
         cross join lateral (
           select near.id from steps as near where near.form_id = submissions.form_id
            order by near.step_number offset found.position - 1 limit 1
         ) as reached)
    where ${unlockedAndUnchangedSql()} and status = 'draft' and ${STEP_COUNT} > 0
      and not exists (select from steps as held where ${IS_SETTLED})
  returning true`,
  { isSettled: boolean },
);

/** Moves to step `$4` at position `$5` of version `$6` of the form, and only while the form has this version (S12, C13). */
export const MOVE_SUBMISSION = statement(
  'submissions.move',
  `update submissions
      set current_step = $5::integer, updated_at = ${NEXT_UPDATED_AT}, step_id = $4::integer, step_position = $5
    where ${unlockedAndUnchangedSql()} and status = 'draft' and ${FORM_VERSION} = $6::integer
  returning ${MOVED_COLUMNS}`,
  MOVED,
);
