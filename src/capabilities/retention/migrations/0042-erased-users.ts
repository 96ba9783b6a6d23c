import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AS_OWNER, hasTriggersOfSubmissions } from '../../../migrations/sql.js';

/**
 * Records the deletion of each user about whom something personal was stored (T3): an address, an identity, or answers that an operator
 * erased. A respondent who did nothing leaves no record.
 */
export class ErasedUsers1798000000042 implements MigrationInterface {
  name = 'ErasedUsers1798000000042';

  async up(runner: QueryRunner): Promise<void> {
    const hasIdentities = await runner.hasTable('user_identities');
    await runner.query(`
      create function formtrail_record_erased_user(erased users, why varchar) returns void language plpgsql as $$
      declare
        hashes bytea[] := ${hasIdentities ? HASHES : `'{}'`};
      begin
        if why <> 'restored' and (erased.email is not null or cardinality(hashes) > 0 or why = 'erasure') then
          insert into erasures (kind, reason, user_id, identity_hashes) values ('user.erased', why, erased.id, hashes);
        end if;
      end $$;

      create function formtrail_user_erased() returns trigger ${AS_OWNER} $$
      begin
        if tg_op = 'TRUNCATE' then
          perform formtrail_record_erased_user(users, formtrail_deletion_reason()) from users;
          return null;
        end if;
        perform formtrail_record_erased_user(old, formtrail_deletion_reason());
        return old;
      end $$;
      -- The users that a restore has brought back. A user who was created after the erasure is another one, even with the same id.
      create function formtrail_restored_users(ids uuid[]) returns setof users language sql stable as $$
        select distinct users.* from users join (
          select user_id, happened_at from erasures where id = any (ids) and kind = 'user.erased'
          ${hasIdentities ? UNION_IDENTITIES : ''}
        ) as erased on erased.user_id = users.id where happened_at >= users.created_at
      $$`);
    // Where nothing records deletions of submissions, no program lists or forgets the records.
    if (await hasTriggersOfSubmissions(runner)) await runner.query(TRIGGERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function formtrail_user_erased cascade;
      drop function formtrail_record_erased_user, formtrail_restored_users`);
  }
}

const HASH = `sha256(convert_to(issuer || ' ' || subject, 'UTF8'))`;

const UNION_IDENTITIES = `union all
          select user_identities.user_id, happened_at from erasures cross join unnest(identity_hashes) as hash
            join user_identities on ${HASH} = hash and user_identities.created_at <= happened_at where erasures.id = any (ids)`;

const HASHES = `array(
          select ${HASH} from user_identities where user_id = erased.id order by id)`;

/** Before, because a foreign key deletes the identities together with the user. */
const TRIGGERS = `
  create trigger erased_delete before delete on users for each row execute function formtrail_user_erased();
  create trigger erased_truncate before truncate on users for each statement execute function formtrail_user_erased()`;
