-- For public forms, with which servers create respondents and their tokens. Run it as formtrail_owner, after rights.sql.
\set ON_ERROR_STOP on
grant insert (id) on users to formtrail_service;
grant usage on sequence users_id_seq to formtrail_service;
grant insert (user_id, token_hash, expires_at, is_renewable), update (expires_at), delete on api_tokens to formtrail_service;
