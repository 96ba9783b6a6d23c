import { integer, statement } from '../../database/statement.js';
import { TEXT_BYTES } from './stored-size.js';

/**
 * Counts all values of a submission, and separately the values that entries with
 * these keys would not replace (V5).
 */
export const COUNT_OTHER_VALUES = statement(
  'submissions.count_other_values',
  `select count(*), coalesce(sum(bytes), 0), count(*) filter (where not is_replaced),
          coalesce(sum(bytes) filter (where not is_replaced), 0)
     from (
       select ${TEXT_BYTES} as bytes,
              (field_id, record_key) in (select * from unnest($2::integer[], $3::bigint[])) as is_replaced
         from submission_values where submission_uuid = $1
     ) as counted`,
  { count: integer, bytes: integer, otherCount: integer, otherBytes: integer },
);
