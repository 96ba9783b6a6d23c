import { boolean, integer, json, nullable, statement, text } from '../../database/statement.js';
import { isoTimestampSql } from '../../database/iso-timestamp.js';
import type { Obstacle } from './problems.js';

export const FIND_OBSTACLE = statement<
  Omit<Obstacle, 'reason'> & { readonly reason: Obstacle['reason'] | null }
>(
  'availability.obstacle',
  `select formtrail_obstacle($1, $2), ${isoTimestampSql('opens_at')}, ${isoTimestampSql('closes_at')} from forms where id = $2`,
  {
    reason: nullable(text as (value: string) => Obstacle['reason']),
    opens_at: nullable(text),
    closes_at: nullable(text),
  },
);

/** Whether any form closes its drafts at some time. */
export const CLOSES_ANY_DRAFTS = statement(
  'availability.closes_any_drafts',
  'select exists (select from forms where closes_drafts and closes_at is not null)',
  { closes: boolean },
);

export const HAS_CLOSED_DRAFTS = statement(
  'availability.has_closed_drafts',
  'select (closes_drafts and closes_at <= statement_timestamp()) is true from forms where id = $1',
  { isClosed: boolean },
);

/** A visible value that chooses an option without places. `recordKey` is 0 outside of records. */
export type FullOption = readonly [fieldId: number, recordKey: number, value: string];

/**
 * Returns no row for a test, which needs no place. `$2` are the names of hidden values. `$3` is 1 if the submission is not counted yet, else
 * 0.
 */
export const FIND_FULL_OPTIONS = statement(
  'availability.full_options',
  `select coalesce(json_agg(json_build_array(chosen.field_id, record_key, value) order by chosen.field_id, record_key, options.id), '[]')
     from submissions
    cross join lateral formtrail_chosen_options(uuid, form_id, string_to_array($2, ',')) as chosen
     join option_counts using (option_id) join options on options.id = option_id and taken + $3 > places
    where uuid = $1 and not is_test`,
  { options: json<FullOption[]>() },
);

/** Returns no row for a test, which needs no place. `$2` is 1 if the submission is not counted yet, else 0. */
export const FIND_LIMITS = statement(
  'availability.limits',
  `select (max_submissions < form_counts.completed + $2) is true, (max_per_user < user_counts.completed + $2) is true
     from submissions join forms on forms.id = submissions.form_id
     left join form_counts on form_counts.form_id = forms.id
     left join user_counts on user_counts.form_id = forms.id and user_counts.user_id = submissions.user_id
    where submissions.uuid = $1 and not is_test`,
  { isFull: boolean, isAnswered: boolean },
);

/**
 * Reads what is left (D7), from the counters only. The options are JSON, one after the other, in schema order. Options of retired fields and
 * of fields that are no choice have no places.
 */
export const FIND_AVAILABILITY = statement(
  'availability.find',
  `select (is_active and (opens_at <= statement_timestamp()) is not false and (closes_at <= statement_timestamp()) is not true),
          ${isoTimestampSql('opens_at')}, ${isoTimestampSql('closes_at')},
          case when max_submissions is not null then greatest(0, max_submissions - coalesce(completed, 0)) end,
          (select coalesce(string_agg(json_build_object('field_id', fields.id, 'field_code', code, 'value', value,
                    'places_left', greatest(0, places - taken))::text, ',' order by step_number, fields."order", fields.id, options."order", options.id), '')
             from option_counts join options on options.id = option_id join fields on fields.id = field_id and retired_at is null
             join steps on steps.id = step_id join field_types on field_types.id = field_type_id
              and component in ('select-input', 'radio-input', 'checkbox-input')
            where option_counts.form_id = forms.id)
     from forms left join form_counts on form_counts.form_id = forms.id where uuid = $1`,
  {
    is_open: boolean,
    opens_at: nullable(text),
    closes_at: nullable(text),
    places_left: nullable(integer),
    options: text,
  },
);
