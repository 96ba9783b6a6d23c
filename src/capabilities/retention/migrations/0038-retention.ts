import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AS_OWNER, hasTriggersOfSubmissions, time, withComments } from '../../../migrations/sql.js';
import { HELD_CONSTRAINT } from '../held-constraint.js';

/**
 * Adds the record of what was deleted, and rejects deletions of held submissions (T2, T3). The migrations after it add triggers to other
 * tables, one table each. Triggers instead of the code of the service, because every program must be rejected and recorded.
 */
export class Retention1798000000038 implements MigrationInterface {
  name = 'Retention1798000000038';

  async up(runner: QueryRunner): Promise<void> {
    const [{ schema }] = (await runner.query('select quote_ident(current_schema()) as schema')) as [
      { schema: string },
    ];
    const hasFiles = await runner.hasTable('files');
    for (const sql of [withComments(TABLES), RECORDING, holding(hasFiles), checkingIn(schema)])
      await runner.query(sql);
    if (await hasTriggersOfSubmissions(runner)) await runner.query(TRIGGERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function formtrail_submissions_erased, formtrail_submission_held, formtrail_held_deleted, formtrail_held_truncated,
        formtrail_held_changed, formtrail_any_held cascade;
      drop function formtrail_reject_held, formtrail_deletion_reason;
      drop table held_submissions, erasures`);
  }
}

const TABLES = `
  create table erasures ( -- Deleted submissions, deleted personal answers and erased users, without contents, to delete them again after a restore.
    id uuid primary key default gen_random_uuid(), -- The same in the file of "db erasures", so that it can be read twice.
    kind varchar(30) not null check (kind in ('submission.deleted', 'submission.anonymized', 'user.erased')), -- What was deleted.
    ${time('happened_at')} not null default statement_timestamp(), -- When it was deleted.
    reason varchar(20) not null check (reason in ('user', 'operator', 'retention', 'erasure', 'test', 'sql')), -- Who or what caused it; sql: another program.
    submission_uuid uuid, -- The submission; null for a user.
    user_id integer, -- The user; null for a submission.
    field_ids integer[], -- The fields whose answers were deleted; null unless kind is submission.anonymized.
    identity_hashes bytea[], -- SHA-256 of the issuer, a space and the subject of each identity of the user; null for a submission.
    constraint erasures_kind_columns_check check (
      num_nonnulls(submission_uuid, user_id) = 1 and (user_id is not null) = (kind = 'user.erased')
      and (field_ids is not null) = (kind = 'submission.anonymized'))
  );
  create index erasures_happened_at_idx on erasures (happened_at);

  create table held_submissions ( -- The submissions whose column held is true. Only triggers write it.
    submission_uuid uuid primary key -- The submission.
  )`;

/** The setting `restored` is for a deletion that is recorded already. */
const RECORDING = `
  -- Programs of the service say why they delete, with the setting formtrail.deletion_reason of the transaction.
  create function formtrail_deletion_reason() returns varchar language sql stable as $$
    select case when given in ('user', 'operator', 'retention', 'erasure', 'test', 'restored') then given else 'sql' end
      from (select current_setting('formtrail.deletion_reason', true) as given) setting
  $$;

  create function formtrail_submissions_erased() returns trigger ${AS_OWNER} $$
  begin
    if formtrail_deletion_reason() = 'restored' then
      return null;
    end if;
    if tg_op = 'TRUNCATE' then
      insert into erasures (kind, reason, submission_uuid)
      select 'submission.deleted', formtrail_deletion_reason(), uuid from submissions;
    else
      insert into erasures (kind, reason, submission_uuid)
      select 'submission.deleted', formtrail_deletion_reason(), uuid from before;
    end if;
    return null;
  end $$`;

const FILES = `
    update files set expires_at = case when not new.held then now() + interval '1 day' end where submission_uuid = new.uuid;
    if not new.held then
      insert into file_deletions (uuid, submission_uuid, until)
      select uuid, submission_uuid, now() + interval '1 hour' from files where submission_uuid = new.uuid and state = 'infected'
      on conflict do nothing;
    end if;`;

/** While a submission is held, none of its files expires. Afterwards, the files that no value refers to expire after a day, as before, and
 * the contents of infected files are deleted. */
const holding = (hasFiles: boolean) => `
  create function formtrail_submission_held() returns trigger ${AS_OWNER} $$
  begin
    if tg_op = 'UPDATE' then
      delete from held_submissions where submission_uuid = old.uuid;
    end if;
    if new.held then
      insert into held_submissions values (new.uuid) on conflict do nothing;
    end if;
    ${hasFiles ? FILES : ''}
    return null;
  end $$`;

/**
 * The triggers of values, records and files call no other function if no submission is held. The function names the schema, because
 * setting a `search_path` takes longer than the rest. It is volatile: a statement that has waited for the lock of a submission must see
 * that the submission is held meanwhile.
 */
const checkingIn = (schema: string) => `
  create function formtrail_any_held() returns boolean language plpgsql security definer as
  $$ begin return exists (select from ${schema}.held_submissions); end $$;
  grant execute on function formtrail_any_held to public;

  create function formtrail_reject_held(submission uuid) returns void language plpgsql as $$
  begin
    raise exception 'the submission % is held', submission using errcode = 'check_violation',
      detail = 'Nothing of it can be changed or deleted.',
      hint = 'If you may release it, set submissions.held to false first.',
      table = 'submissions', column = 'held', constraint = '${HELD_CONSTRAINT}';
  end $$;

  create function formtrail_held_deleted() returns trigger language plpgsql as $$
  begin
    perform formtrail_reject_held(old.uuid);
    return null;
  end $$;

  create function formtrail_held_truncated() returns trigger ${AS_OWNER} $$
  begin
    perform formtrail_reject_held(submission_uuid) from held_submissions limit 1;
    return null;
  end $$;

  create function formtrail_held_changed() returns trigger ${AS_OWNER} $$
  begin
    if tg_op <> 'INSERT' then
      perform formtrail_reject_held(submission_uuid) from before where submission_uuid in (table held_submissions) limit 1;
    end if;
    if tg_op <> 'DELETE' then
      perform formtrail_reject_held(submission_uuid) from after where submission_uuid in (table held_submissions) limit 1;
    end if;
    return null;
  end $$`;

/** PostgreSQL fires triggers in the order of their names. A held submission is rejected before other triggers do anything. */
const TRIGGERS = `
  create trigger held_insert after insert on submissions
    for each row when (new.held) execute function formtrail_submission_held();
  create trigger held_update after update of held, uuid on submissions
    for each row when (old.held <> new.held or new.held and old.uuid <> new.uuid) execute function formtrail_submission_held();
  create trigger held_delete before delete on submissions
    for each row when (old.held) execute function formtrail_held_deleted();
  create trigger held_truncate before truncate on submissions
    for each statement execute function formtrail_held_truncated();
  create trigger erased_delete after delete on submissions referencing old table as before
    for each statement execute function formtrail_submissions_erased();
  create trigger erased_truncate before truncate on submissions
    for each statement execute function formtrail_submissions_erased()`;
