import { isoOf, laterThan, microseconds } from '../../database/iso-timestamp.js';
import { type Execute, integer, statement } from '../../database/statement.js';

/*
 * The statement `records.create` writes to two tables. Citus would send the rows of the first write to every worker.
 * With Citus, three statements in one transaction therefore replace `records.create`.
 */

export const COUNT_RECORDS = statement(
  'records.count',
  `select count(*) filter (where entity_id = $2), count(*) from entity_records where submission_uuid = $1`,
  { of_entity: integer, of_all: integer },
);

export const INSERT_RECORD = statement(
  'records.insert',
  `insert into entity_records (submission_uuid, form_id, entity_id) values ($1, $3, $2)
   returning id, ${microseconds('created_at')}`,
  { id: integer, created_at: isoOf },
);

export const TOUCH_SUBMISSION = statement(
  'records.touch_submission',
  `update submissions set updated_at = ${laterThan('updated_at')} where uuid = $1
   returning ${microseconds('updated_at')}`,
  { updated_at: isoOf },
);

/** Has the same parameters and returns the same row as `records.create`. */
export async function createRecord(values: readonly unknown[], execute: Execute) {
  const [uuid, entityId, formId, maxOfEntity, maxOfAll] = values as [string, number, number, number, number];
  const [counted] = await execute(COUNT_RECORDS, [uuid, entityId]);
  const { of_entity, of_all } = counted as NonNullable<typeof counted>;
  if (of_entity >= maxOfEntity || of_all >= maxOfAll)
    return [{ of_entity, id: null, created_at: null, updated_at: null }];
  const [inserted] = await execute(INSERT_RECORD, [uuid, entityId, formId]);
  const [touched] = await execute(TOUCH_SUBMISSION, [uuid]);
  return [{ of_entity, ...inserted, ...touched }];
}
