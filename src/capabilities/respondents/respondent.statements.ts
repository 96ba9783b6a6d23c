import { IS_VALID, SECONDS_LEFT } from '../../auth/tokens.service.js';
import { isoTimestampSql } from '../../database/iso-timestamp.js';
import {
  batchedStatement,
  boolean,
  integer,
  json,
  nullable,
  statement,
  text,
} from '../../database/statement.js';
import { expirySql, LATEST_EXPIRY } from './token-renewal.js';

/** A valid token of a respondent. */
export interface FoundToken {
  readonly user_id: number;
  readonly form_id: number;
  readonly is_preview: boolean;
  /** Null if the token never expires. */
  readonly seconds_left: number | null;
  /** Whether use of the token postpones its expiry (P4). */
  readonly is_renewable: boolean;
}

export const FIND_TOKEN = statement<FoundToken>(
  'respondents.find_token',
  `select user_id, form_id, is_preview, ${SECONDS_LEFT},
          is_renewable and (expires_at < ${LATEST_EXPIRY}) is true
     from api_tokens join respondents using (user_id) where token_hash = $1 and ${IS_VALID}`,
  {
    user_id: integer,
    form_id: integer,
    is_preview: boolean,
    seconds_left: nullable(Number),
    is_renewable: boolean,
  },
);

export const FIND_RESPONDENT = statement(
  'respondents.find',
  'select form_id, is_preview from respondents where user_id = $1',
  { form_id: integer, is_preview: boolean },
);

/** Several instances may renew a token at once: only the first one changes it. */
export const RENEW_TOKEN = statement(
  'tokens.renew',
  `update api_tokens set expires_at = ${expirySql('$2')}
     from respondents
    where token_hash = $1 and respondents.user_id = api_tokens.user_id and is_renewable and revoked_at is null
      and expires_at > now() and expires_at < now() + make_interval(secs => $3)`,
  {},
);

export interface IssuedRow {
  readonly user_id: number;
  readonly seconds_left: number;
  readonly expires_at: string;
}

const ISSUED = { user_id: integer, seconds_left: Number, expires_at: text };

export const COUNT_OPEN_DRAFTS = statement(
  'submissions.count_open_drafts',
  `select count(*) from submissions where user_id = $1 and status = 'draft'`,
  { count: integer },
);

/** Creates a user, its respondent and its token (P2). Returns no row if the form is locked or was deleted. */
export const CREATE_RESPONDENT = batchedStatement<IssuedRow, 'form_id' | 'token_hash' | 'seconds'>(
  'respondents.create',
  { form_id: 'integer', token_hash: 'bytea', seconds: 'integer' },
  (input) => `with input as materialized (
     select position, form_id, token_hash, seconds, nextval('users_id_seq')::integer as user_id from ${input}
   ), new_users as (
     insert into users (id) select user_id from input
   ), new_respondents as (
     insert into respondents (user_id, form_id) select user_id, form_id from input
   ), new_tokens as (
     insert into api_tokens (user_id, token_hash, expires_at, is_renewable)
     select user_id, token_hash, now() + make_interval(secs => seconds), true from input
     returning user_id, expires_at
   )
   select position, user_id, ${SECONDS_LEFT}, ${isoTimestampSql('expires_at')} from input join new_tokens using (user_id)`,
  ISSUED,
  { locks: { join: 'join forms on forms.id = input.form_id', lock: 'for key share of forms' } },
);

/** Returns no row if the proof was used before. Keeps it longer than its challenge is valid, by any server's clock. */
export const SPEND_PROOF = statement(
  'respondents.spend_proof',
  `insert into spent_proofs (challenge_hash, expires_at) values ($1, now() + interval '1 hour')
   on conflict do nothing returning 1`,
  { spent: integer },
);

/** A trigger deletes the open codes of the respondent, as whenever a token ends (P8). */
export const DELETE_TOKEN = statement(
  'respondents.delete_token',
  'delete from api_tokens where token_hash = $1',
  {},
);

/**
 * Serializes a respondent's requests for codes, so that none exceeds the limit. Nobody can end the token until the code is stored.
 * Returns no row if the token has ended (P8), or if another transaction is deleting the respondent.
 */
export const LOCK_TOKEN = statement(
  'respondents.lock_token',
  `select users.id from users
     join api_tokens on api_tokens.user_id = users.id
     join respondents on respondents.user_id = users.id
    where users.id = $1 and token_hash = $2 and revoked_at is null and (expires_at is null or expires_at > now())
      for no key update of users for share of api_tokens for key share of respondents skip locked`,
  { user_id: integer },
);

/** Stores a code of user `$1`. Returns no row if the user already has `$3` open codes. */
export const CREATE_CODE = statement(
  'respondents.create_code',
  `insert into resume_codes (user_id, code_hash, expires_at)
   select $1::integer, $2::bytea, now() + interval '7 days'
    where (select count(*) from resume_codes where user_id = $1 and expires_at > now()) < $3
   returning ${isoTimestampSql('expires_at')}`,
  { expires_at: text },
);

export type ResumedRow = IssuedRow & { readonly form_id: number; readonly is_renewable: boolean };

/**
 * Uses a code and issues a token, in one statement, so that only one of several calls gets a token (P5). Locks the user first, like
 * every program that ends access, and never waits for a lock: `issued` is null if another transaction has locked the user or the code.
 */
export const USE_RESUME_CODE = statement<{ readonly issued: ResumedRow | null }>(
  'respondents.resume',
  `with code as materialized (
     select resume_codes.id, user_id, form_id, respondents.created_at from resume_codes join respondents using (user_id)
      where code_hash = $1 and expires_at > now() and now() < ${LATEST_EXPIRY}
   ), used as (
     delete from resume_codes using (
       select code.* from code join users on users.id = user_id join resume_codes as locked on locked.id = code.id
          for no key update of users skip locked for update of locked skip locked
     ) as respondents where resume_codes.id = respondents.id returning respondents.*
   ), new_token as (
     insert into api_tokens (user_id, token_hash, expires_at, is_renewable)
     select user_id, $2, ${expirySql('$3')}, true from used as respondents
     returning user_id, expires_at
   )
   select (
     select json_build_object('user_id', user_id, 'seconds_left', ${SECONDS_LEFT}, 'expires_at', ${isoTimestampSql('expires_at')},
              'form_id', form_id, 'is_renewable', expires_at < ${LATEST_EXPIRY})
       from new_token join used as respondents using (user_id)
   ) from code`,
  { issued: nullable(json()) },
);

export const DELETE_EXPIRED_CODES = statement(
  'respondents.sweep_codes',
  'delete from resume_codes where expires_at <= now()',
  {},
);

export const DELETE_EXPIRED_PROOFS = statement(
  'respondents.sweep_proofs',
  'delete from spent_proofs where expires_at <= now()',
  {},
);
