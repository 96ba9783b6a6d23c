import { isoTimestampSql } from '../../database/iso-timestamp.js';

// Named statements are prepared once per connection. This works because the connections bypass any pooler.

/** Maximum number of concurrent attempts of a process for one endpoint. An endpoint whose last attempt failed gets one. */
export const ATTEMPTS_OF_ENDPOINT = 8;

/** Maximum size of a full body in bytes (W6). */
const MAX_FULL_BODY = 262_144;

const rowToJsonSql = (columns: string) => `(select row_to_json(object) from (select ${columns}) object)`;

const submissionWith = (meta: string, more: string) =>
  rowToJsonSql(`submission_uuid as uuid, form_id, status, current_step, begun_version, completed_version, locale, ${meta}
    ${isoTimestampSql('submission_created_at')} as created_at,
    ${isoTimestampSql('submission_updated_at')} as updated_at ${more}`);
const THIN = submissionWith('', '');
/** Unlike the output of "submissions export", a full body has no `records`, and its values have no `file`. */
const FULL = submissionWith('meta,', ', user_email, "values"');
const WITHOUT_PERSONAL = submissionWith(
  '',
  `, (select coalesce(json_agg(stored), '[]') from json_array_elements("values") stored
        where (stored ->> 'field_id')::integer <> all (coalesce(personal_fields, '{}'))) as "values"`,
);
const FORM = rowToJsonSql('form_uuid as uuid, form_slug as slug, form_version as version');

const bodyOf = (submission: string, isTruncated = false) => {
  const content = rowToJsonSql(`${FORM} as form, ${submission} as submission, ${isTruncated} as truncated`);
  return `${rowToJsonSql(`event as type, ${isoTimestampSql('created_at')} as timestamp, ${content} as data`)}::text`;
};

/**
 * Turns the oldest events of the outbox, at most `$1`, into deliveries. Each endpoint that was subscribed to the
 * event gets a delivery (W6). Skips events that another process has locked.
 */
export const RELAY = {
  name: 'webhooks.relay',
  text: `
  with happened as (
    delete from webhook_outbox
     where id = any (array(select id from webhook_outbox order by id limit $1 for update skip locked)) returning *
  ), bodies as materialized (
    select endpoint_ids, event, submission_uuid, user_id, created_at, ${bodyOf(THIN)} as thin,
           case when "values" is not null then ${bodyOf(FULL)} end as complete,
           case when "values" is not null and exists (
             select from webhook_endpoints where webhook_endpoints.id = any (endpoint_ids) and not webhook_endpoints.personal
           ) then ${bodyOf(WITHOUT_PERSONAL)} end as without_personal,
           case when "values" is not null then ${bodyOf(THIN, true)} end as truncated
      from happened
  )
  insert into webhook_deliveries (endpoint_id, event, submission_uuid, user_id, body, created_at)
  select endpoint_id, event, submission_uuid, user_id,
         case when whole is null then thin when octet_length(whole) > ${MAX_FULL_BODY} then truncated else whole end,
         bodies.created_at
    from bodies cross join unnest(endpoint_ids) endpoint_id
         left join webhook_endpoints endpoints on endpoints.id = endpoint_id
         cross join lateral (
           select case when endpoints.body = 'full' then case when endpoints.personal then complete else without_personal end end
             as whole
         ) own`,
};

/** A delivery with everything that an attempt needs. */
export interface DueDelivery {
  readonly id: string;
  readonly event: string;
  readonly submission_uuid: string;
  readonly body: string;
  readonly attempts: number;
  readonly endpoint_id: number;
  /** If the endpoint was removed, `url` and all other properties of the endpoint are null. */
  readonly url: string | null;
  readonly secret: Buffer | null;
  /** Null if only `secret` signs webhooks. */
  readonly previous_secret: Buffer | null;
  readonly disabled_reason: string | null;
}

/** SQL for the secrets that sign the webhooks of an endpoint now. */
export const SECRET_COLUMNS = `secret, case when previous_secret_expires_at > now() then previous_secret end as previous_secret`;

/**
 * Claims at most `$1` due deliveries. Endpoints with few running attempts come first, then old deliveries. `$2` and `$3` are endpoints and
 * the numbers of their running attempts in this process. Other processes skip the deliveries for a minute, which is longer than an attempt
 * takes. If the process is killed, they are due again then.
 *
 * The recursive query finds the endpoints through the index, because reading a whole backlog would take too long.
 */
export const CLAIM_DUE = {
  name: 'webhooks.claim_due',
  text: `
  with recursive endpoint as (
    select min(endpoint_id) as id from webhook_deliveries where next_attempt_at is not null
    union all
    select (select min(endpoint_id) from webhook_deliveries where next_attempt_at is not null and endpoint_id > endpoint.id)
      from endpoint where id is not null
  ), due as (
    select due.id, endpoint.id as endpoint_id
      from endpoint left join webhook_endpoints endpoints on endpoints.id = endpoint.id
           left join unnest($2::integer[], $3::integer[]) as busy (endpoint_id, running) on busy.endpoint_id = endpoint.id
           cross join lateral (
             select id, next_attempt_at from webhook_deliveries
              where endpoint_id = endpoint.id and next_attempt_at <= now()
              order by next_attempt_at
              limit greatest(0, case when failing_since is null or disabled_reason is not null then ${ATTEMPTS_OF_ENDPOINT} else 1 end
                                - coalesce(running, 0))
              for update skip locked
           ) due
     order by coalesce(running, 0) + row_number() over (partition by endpoint.id order by next_attempt_at), next_attempt_at
     limit $1
  )
  update webhook_deliveries deliveries set next_attempt_at = now() + interval '1 minute'
    from due left join webhook_endpoints endpoints on endpoints.id = due.endpoint_id
   where deliveries.id = due.id
  returning deliveries.id, event, submission_uuid, deliveries.body, attempts, deliveries.endpoint_id, url, disabled_reason,
            ${SECRET_COLUMNS}`,
};

/** Ends a claim, so that any process may attempt the delivery at once. */
export const RELEASE = 'update webhook_deliveries set next_attempt_at = now() where id = $1';

/**
 * Updates the endpoint only if its last attempt failed, so that parallel deliveries do not
 * wait for the lock of its row.
 */
export const DELIVERED = {
  name: 'webhooks.delivered',
  text: `
  with delivered as (delete from webhook_deliveries where id = $1)
  update webhook_endpoints set failing_since = null where id = $2 and failing_since is not null`,
};

/**
 * Stores a failed attempt. `$4` is the number of seconds until the next attempt, null after the last attempt.
 * `$5` is true if the receiver wants no more webhooks. `disabled_reason` in the result is set if this failure
 * has disabled the endpoint (W4).
 */
export const FAILED = `
  with failed as (
    update webhook_deliveries
       set attempts = attempts + 1, last_error = $3, next_attempt_at = now() + make_interval(secs => $4)
     where id = $1
  )
  update webhook_endpoints
     set failing_since = coalesce(failing_since, now()),
         disabled_reason = case
           when $5 then 'gone: the receiver responded with 410'
           when failing_since <= now() - interval '5 days' then 'no success for five days' end
   where id = $2 and disabled_reason is null
     and ($5 or failing_since is null or failing_since <= now() - interval '5 days')
  returning disabled_reason`;

/** Gives up a delivery, because its endpoint is disabled or was removed. */
export const GIVE_UP = `
  update webhook_deliveries set next_attempt_at = null, last_error = coalesce(last_error || '; ', '') || $2 where id = $1`;

/** Reads the backlog for metrics. Returns no row if there is no endpoint. */
export const OUTBOX_STATE = 'select * from formtrail_webhooks_state()';

/** Finds the secrets of endpoints that are not disabled. */
export const ACTIVE_SECRETS = `
  select id, ${SECRET_COLUMNS} from webhook_endpoints where disabled_reason is null order by id`;
