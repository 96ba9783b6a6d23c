import { statement } from '../../database/statement.js';

export const DELETE_COMPUTED_VALUES = statement(
  'submissions.delete_computed',
  'delete from submission_values where submission_uuid = $1 and field_id = any ($2::integer[])',
  {},
);

/** Also replaces a value that a request, which did not know yet that the field is computed, has stored since the deletion. `$3` to `$6` are the columns of the values. */
export const STORE_COMPUTED_VALUES = statement(
  'submissions.store_computed',
  `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
   select $1, $2, entry.* from unnest($3::integer[], $4::boolean[], $5::bigint[], $6::text[]) entry
       on conflict (submission_uuid, field_id, record_key) do update set value = excluded.value`,
  {},
);
