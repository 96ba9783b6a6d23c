import { isoTimestamp } from '../database/iso-timestamp.js';

// Those with names are planned once for a connection, which is no pooler's.

/** Jobs of one endpoint: what it can be told between one look at the deliveries and the next. */
const QUEUED_AT_MOST = 64;

/** W6, bytes. */
const FULL_AT_MOST = 262_144;

const rowToJson = (columns: string) => `(select row_to_json(object) from (select ${columns}) object)`;

const submissionWith = (meta: string, more: string) =>
  rowToJson(`submission_uuid as uuid, form_id, status, current_step, ${meta}
    ${isoTimestamp('submission_created_at')} as created_at,
    ${isoTimestamp('submission_updated_at')} as updated_at ${more}`);
const THIN = submissionWith('', '');
/** What "submissions export" writes of a submission. */
const FULL = submissionWith('meta,', ', user_email, "values"');
const FORM = rowToJson('form_uuid as uuid, form_slug as slug, form_version as version');

const bodyOf = (submission: string, isTruncated = false) => {
  const content = rowToJson(`${FORM} as form, ${submission} as submission, ${isTruncated} as truncated`);
  return `${rowToJson(`event as type, ${isoTimestamp('created_at')} as timestamp, ${content} as data`)}::text`;
};

/**
 * Makes deliveries of what is in the outbox, the oldest `$1` at most, one for each endpoint that listened (W6). What another
 * process is at work on is left to it.
 */
export const RELAY = {
  name: 'webhooks.relay',
  text: `
  with happened as (
    delete from webhook_outbox
     where id = any (array(select id from webhook_outbox order by id limit $1 for update skip locked)) returning *
  ), bodies as materialized (
    select endpoint_ids, event, submission_uuid, created_at, ${bodyOf(THIN)} as thin,
           case when "values" is not null then ${bodyOf(FULL)} end as complete,
           case when "values" is not null then ${bodyOf(THIN, true)} end as truncated
      from happened
  )
  insert into webhook_deliveries (endpoint_id, event, submission_uuid, body, created_at)
  select endpoint_id, event, submission_uuid,
         case when complete is null or endpoints.body is distinct from 'full' then thin
              when octet_length(complete) > ${FULL_AT_MOST} then truncated
              else complete end,
         bodies.created_at
    from bodies cross join unnest(endpoint_ids) endpoint_id
         left join webhook_endpoints endpoints on endpoints.id = endpoint_id`,
};

/**
 * Adds the jobs of what is due and has none, the oldest of each endpoint: only so many have one at a time, because whoever
 * looks for a job passes those of all endpoints that are busy. An endpoint that fails is probed with one until it succeeds.
 *
 * Two statements, so that a process that waited for another sees what that has added. Endpoints are found one after the other
 * by the index, so that nothing reads a backlog.
 */
export const QUEUE_DUE = `
  select pg_advisory_xact_lock(hashtext('formtrail webhooks'));
  with recursive endpoint as (
    select min(endpoint_id) as id from webhook_deliveries where next_attempt_at is not null
    union all
    select (select min(endpoint_id) from webhook_deliveries where next_attempt_at is not null and endpoint_id > endpoint.id)
      from endpoint where id is not null
  ), due as (
    select deliveries.id, endpoint.id as endpoint_id
      from endpoint left join webhook_endpoints endpoints on endpoints.id = endpoint.id
           cross join lateral (
             select id from webhook_deliveries where endpoint_id = endpoint.id and next_attempt_at <= now()
              order by next_attempt_at
              limit case when failing_since is null or disabled_reason is not null then ${QUEUED_AT_MOST} else 1 end
           ) deliveries
  )
  select from formtrail_queue.add_jobs(array(
    select row('deliver', json_build_object('id', id), null, null, 32767, id::text, null,
               array['endpoint:' || endpoint_id])::formtrail_queue.job_spec
      from due where not exists (select from formtrail_queue.jobs where key = due.id::text)))`;

/** A delivery with what it takes to attempt it. */
export interface DueDelivery {
  readonly event: string;
  readonly submission_uuid: string;
  readonly body: string;
  readonly attempts: number;
  readonly endpoint_id: number;
  /** All that is about the endpoint is null where there is none any more. */
  readonly url: string | null;
  readonly secret: Buffer | null;
  /** Null where none is to sign any more. */
  readonly previous_secret: Buffer | null;
  readonly disabled_reason: string | null;
}

/** Of an endpoint, what its webhooks are to be signed with now. */
export const STORED_SECRETS = `secret, case when previous_secret_expires_at > now() then previous_secret end as previous_secret`;

/** Gives nothing where it was delivered, given up or put off meanwhile. */
export const FIND_DUE = {
  name: 'webhooks.find_due',
  text: `
  select event, submission_uuid, deliveries.body, attempts, endpoint_id, url, disabled_reason, ${STORED_SECRETS}
    from webhook_deliveries deliveries left join webhook_endpoints endpoints on endpoints.id = endpoint_id
   where deliveries.id = $1 and next_attempt_at <= now()`,
};

/** The endpoint's row is written only where something changes, so that deliveries do not queue for it. */
export const DELIVERED = {
  name: 'webhooks.delivered',
  text: `
  with delivered as (delete from webhook_deliveries where id = $1)
  update webhook_endpoints set failing_since = null where id = $2 and failing_since is not null`,
};

/**
 * `$4`: seconds until the next attempt, null where there is to be none. `$5`: that the receiver wants no more. Gives the
 * reason where the endpoint is disabled with it (W4).
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

/** What is due to an endpoint that is disabled, or gone, is not attempted. */
export const GIVE_UP = `
  update webhook_deliveries set next_attempt_at = null, last_error = coalesce(last_error || '; ', '') || $2 where id = $1`;

/** For metrics; no row where there is no endpoint. */
export const OUTBOX_STATE = 'select * from formtrail_webhooks_state()';

/** Of endpoints that are told of anything. */
export const ACTIVE_SECRETS = `
  select id, ${STORED_SECRETS} from webhook_endpoints where disabled_reason is null order by id`;
