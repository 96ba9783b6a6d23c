import { isoOf, microsecondsSql } from '../../database/iso-timestamp.js';
import { batchedStatement, integer, json, nullable, text } from '../../database/statement.js';
import {
  EXTENSION,
  EXTENSION_ONLY,
  IS_OF_INPUT,
  IS_OWNED,
  OWNED,
  recordsSql,
  SHOWN,
  SHOWN_ONLY,
  STORED_COLUMNS,
  STORED_SUBMISSION,
  SUBMISSION,
} from '../submission.columns.js';
import type {
  ReadSubmission,
  ShownSubmission,
  StoredRecord,
  StoredStep,
  UnparsedRow,
  ValuesAndRecordsRow,
  ValuesRow,
} from '../submission.rows.js';

/** Bytes. JSON of values that is longer is read, parsed and evaluated apart from other requests. */
export const LONG_JSON = 65_536;

/**
 * Parameters of reads. `long_of` is the UUID again if long values are wanted, and null otherwise. Requests for long values share no
 * batch, because the service would receive and parse all values of a batch at once.
 */
const READ = { ...OWNED, long_of: 'uuid' } as const;
const ONE_IF_LONG = { batchedBy: 'long_of' } as const;

const valuesSql = (order: string) =>
  `(select case when long_of is not null or octet_length(list) <= ${LONG_JSON} then list end from (
      select coalesce(json_agg(json_build_array(field_id, entity_record_id, value) ${order})::text, '[]') as list
        from submission_values where ${IS_OF_INPUT}) as stored)`;

/** The values are sorted by field, then by record with null first (V12). */
export const FIND_SUBMISSION_WITH_VALUES = batchedStatement<
  UnparsedRow<Omit<ShownSubmission, 'current_step'> & StoredStep & ValuesAndRecordsRow>,
  keyof typeof READ
>(
  'submissions.find_with_values',
  READ,
  (input) =>
    `select position, ${STORED_COLUMNS}, ${SHOWN_ONLY}, ${valuesSql('order by field_id, entity_record_id nulls first')},
       ${recordsSql(IS_OF_INPUT)}
    from ${input} join submissions on ${IS_OWNED}`,
  { ...STORED_SUBMISSION, ...SHOWN, values: nullable(text), records: json<StoredRecord[]>() },
  ONE_IF_LONG,
);

/** Returns only what conditions need. The values are unsorted, because conditions do not depend on their order. */
export const FIND_VALUES = batchedStatement<UnparsedRow<ValuesRow>, keyof typeof READ>(
  'submissions.find_values',
  READ,
  (input) => `select position, form_id, ${valuesSql('')}
    from ${input} join submissions on ${IS_OWNED}`,
  { form_id: integer, values: nullable(text) },
  ONE_IF_LONG,
);

/** Like {@link FIND_VALUES}, with the records, for the conditions of each record (R6). */
export const FIND_VALUES_AND_RECORDS = batchedStatement<UnparsedRow<ReadSubmission>, keyof typeof READ>(
  'submissions.find_values_and_records',
  READ,
  (
    input,
  ) => `select position, form_id, status, ${microsecondsSql('updated_at')}, ${EXTENSION_ONLY}, ${valuesSql('')}, ${recordsSql(IS_OF_INPUT)}
    from ${input} join submissions on ${IS_OWNED}`,
  {
    form_id: integer,
    status: SUBMISSION.status,
    updated_at: isoOf,
    ...EXTENSION,
    values: nullable(text),
    records: json<StoredRecord[]>(),
  },
  ONE_IF_LONG,
);
