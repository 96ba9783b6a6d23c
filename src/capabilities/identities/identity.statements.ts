import { boolean, integer, nullable, statement } from '../../database/statement.js';

export const FIND_IDENTITY = statement(
  'identities.find',
  `select user_identities.id, user_id, extract(epoch from tokens_valid_from)::float8 as valid_from
     from user_identities join users on users.id = user_id
    where issuer = $1 and subject = $2`,
  { id: integer, user_id: integer, valid_from: nullable(Number) },
);

/** Whether the identity was deleted after the token was issued. */
export const IS_ENDED = statement(
  'identities.is_ended',
  `select exists (
     select from ended_identities
      where identity_hash = formtrail_identity_hash($1, $2) and ended_at > to_timestamp($3::float8)
   ) as is_ended`,
  { is_ended: boolean },
);

/** Returns no row if another user has the email address. */
export const CREATE_USER = statement(
  'identities.create_user',
  'insert into users (email) values ($1) on conflict (lower(email)) do nothing returning id',
  { id: integer },
);

export const CREATE_IDENTITY = statement(
  'identities.create',
  'insert into user_identities (user_id, issuer, subject) values ($1, $2, $3)',
  {},
);
