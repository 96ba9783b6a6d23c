import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Deletes the open resume codes of a respondent when any program ends one of its tokens, because each code would give a new token
 * (P8). The service only ever moves `expires_at` to a later time, so a program that moves it to an earlier time ends the token.
 */
export class EndedTokens1797400000000 implements MigrationInterface {
  name = 'EndedTokens1797400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Any program may end a token, but few may delete codes, so the functions have the rights of the owner.
      create function formtrail_token_ended() returns trigger
      language plpgsql security definer set search_path from current as $$
      begin
        -- In the order of their ids, so that two such deletions cannot wait for each other.
        delete from resume_codes using (
          select id from resume_codes where user_id = old.user_id order by id for update
        ) as ended where resume_codes.id = ended.id;
        return null;
      end $$;
      create trigger api_tokens_ended after delete on api_tokens
        for each row execute function formtrail_token_ended();
      create trigger api_tokens_ended_early after update of user_id, token_hash, expires_at, revoked_at on api_tokens
        for each row when (
          old.revoked_at is null and new.revoked_at is not null
          or coalesce(new.expires_at, 'infinity') < coalesce(old.expires_at, 'infinity')
          or (old.user_id, old.token_hash) is distinct from (new.user_id, new.token_hash)
        ) execute function formtrail_token_ended();

      create function formtrail_tokens_ended() returns trigger
      language plpgsql security definer set search_path from current as $$
      begin
        delete from resume_codes;
        return null;
      end $$;
      create trigger api_tokens_all_ended before truncate on api_tokens
        for each statement execute function formtrail_tokens_ended();

      -- Codes of respondents whose token ended before this migration.
      delete from resume_codes where exists (
        select from api_tokens where api_tokens.user_id = resume_codes.user_id and revoked_at is not null
      ) or not exists (select from api_tokens where api_tokens.user_id = resume_codes.user_id);

      comment on table resume_codes is '${COMMENT} It is also deleted when any program ends a token of the respondent.'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger api_tokens_ended on api_tokens;
      drop trigger api_tokens_ended_early on api_tokens;
      drop trigger api_tokens_all_ended on api_tokens;
      drop function formtrail_token_ended(), formtrail_tokens_ended();
      comment on table resume_codes is '${COMMENT}'`);
  }
}

const COMMENT =
  'Codes with which a respondent continues on another device. A code is deleted when it is used.';
