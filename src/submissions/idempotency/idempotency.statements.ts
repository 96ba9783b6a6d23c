import { bytes, integer, json, statement, text } from '../../database/statement.js';

/**
 * Claims the key, unless it was used within 24 hours. An old row has expired if its `expires_at` is at
 * least 24 hours before the `expires_at` of the new row. If another request has the key's lock, the
 * statement does not wait, but returns no row.
 */
export const CLAIM_KEY = statement(
  'idempotency.claim',
  `insert into idempotency_keys (user_id, key, request_hash, answer, expires_at)
   select $1::integer, $2::varchar, $3::bytea, 'null'::json, now() + interval '24 hours'
    where pg_try_advisory_xact_lock(hashtextextended($4, 0))
   on conflict (user_id, key) do update
     set request_hash = excluded.request_hash, answer = excluded.answer, expires_at = excluded.expires_at
     where idempotency_keys.expires_at at time zone 'UTC' + interval '24 hours'
       <= excluded.expires_at at time zone 'UTC'
   returning key`,
  { key: text },
);

export const FIND_RESPONSE = statement(
  'idempotency.find',
  'select request_hash, answer from idempotency_keys where user_id = $1 and key = $2 and expires_at > now()',
  { request_hash: bytes, response: json<unknown>() },
);

export const STORE_RESPONSE = statement(
  'idempotency.remember',
  'update idempotency_keys set answer = $3 where user_id = $1 and key = $2',
  {},
);

/** Deletes a batch that is small enough for a short statement. Instances that sweep at the same time share the work. */
export const DELETE_EXPIRED = statement(
  'idempotency.sweep',
  `with expired as materialized (
     select user_id, key from idempotency_keys where expires_at <= now()
      order by expires_at limit $1 for update skip locked
   ), deleted as (
     delete from idempotency_keys using expired
      where idempotency_keys.user_id = expired.user_id and idempotency_keys.key = expired.key
        and expires_at <= now()
     returning idempotency_keys.key
   )
   select count(*) from deleted`,
  { count: integer },
);
