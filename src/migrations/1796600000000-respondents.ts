import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readShards } from '../database/distribution/shards.js';

/** Actions that the audit log records from now on, in addition to the previous ones. */
const NEW_ACTIONS = ['respondents.revoked', 'respondents.purged'];

const PREVIOUS_ACTIONS = [
  'token.issued',
  'token.revoked',
  'token.changed',
  'token.deleted',
  'user.changed',
  'user.deleted',
  'user.erased',
  'webhook.added',
  'webhook.rotated',
  'webhook.disabled',
  'webhook.enabled',
  'webhook.changed',
  'webhook.removed',
  'form.imported',
  'form.deleted',
  'submissions.exported',
  'submissions.deleted',
  'audit.purged',
];

/** Adds respondents: users of public forms, who have no email address (P1 to P10). Also adds test submissions of previews. */
export class Respondents1796600000000 implements MigrationInterface {
  name = 'Respondents1796600000000';

  async up(runner: QueryRunner): Promise<void> {
    // One subcommand per query, because Citus does not support several for a distributed table.
    await runner.query('alter table submissions add is_test boolean not null default false');
    await runner.query(
      `comment on column submissions.is_test is 'True: begun with a preview token. Exports and webhooks leave it out, and it is deleted after a day.'`,
    );
    await runner.query(TABLES);
    await runner.query(auditTriggers('not new.is_renewable', 'old.email is not null'));
    await runner.query(actionCheck([...PREVIOUS_ACTIONS, ...NEW_ACTIONS]));
    if ((await readShards(runner.manager)) === undefined)
      await runner.query(webhookTriggers('not new.is_test and'));
    else
      for (const statement of ['alter table user_keys alter email drop not null', ...WITHOUT_RESPONDENTS])
        await runner.query(statement);
  }

  /**
   * Respondents become users with an invented email address, because the schema before requires one. Their tokens are
   * deleted, because they would no longer be bound to a form.
   */
  async down(runner: QueryRunner): Promise<void> {
    const isOneServer = (await readShards(runner.manager)) === undefined;
    if (isOneServer) await runner.query(webhookTriggers(''));
    await runner.query(`
      delete from api_tokens using respondents where respondents.user_id = api_tokens.user_id;
      drop trigger respondents_deleted on respondents;
      drop table resume_codes, respondents, spent_proofs;
      drop function formtrail_respondent_deleted(), formtrail_open_drafts(integer);
      update users set email = 'user-' || id || '@respondent.invalid' where email is null;
      alter table users alter email set not null`);
    await runner.query(auditTriggers('', ''));
    await runner.query(`
      alter table api_tokens drop is_renewable;
      alter table forms drop proof_of_work;
      alter table forms drop access;
      delete from audit_log where action in ('${NEW_ACTIONS.join(`', '`)}') and happened_at < now() - interval '30 days'`);
    // Entries with the new actions stay, because the log keeps every entry for 30 days.
    await runner.query(actionCheck(PREVIOUS_ACTIONS, 'not valid'));
    await runner.query('alter table submissions drop is_test');
    if (!isOneServer) await runner.query('alter table user_keys alter email set not null');
  }
}

/** Citus distributes the submissions, so there are no respondents (see `distribute.ts`). */
const WITHOUT_RESPONDENTS = [
  `alter table forms add constraint forms_one_server_check check (access = 'token')`,
  'alter table respondents add constraint respondents_one_server_check check (false)',
];

const isTimestamp = (column: string) =>
  `${column} >= '0001-01-01 00:00:00+00' and ${column} < '10000-01-01 00:00:00+00'`;

const TABLES = `
  alter table forms add access varchar(20) not null default 'token';
  alter table forms add constraint forms_access_check check (access in ('token', 'public'));
  alter table forms add proof_of_work integer;
  alter table forms add constraint forms_proof_of_work_check check (proof_of_work between 1000 and 5000000);
  comment on column forms.access is 'Who may begin submissions: token: users with a token; public: also respondents, who get a token without an account.';
  comment on column forms.proof_of_work is 'The highest number that a browser must try before it becomes a respondent; null: no proof of work.';

  alter table users alter email drop not null;
  comment on table users is 'People who have access tokens. Each submission belongs to a user. A user with a row in respondents is a respondent.';
  comment on column users.email is 'Unique regardless of letter case; null: a respondent, or a user without a known address.';

  alter table api_tokens add is_renewable boolean not null default false;
  comment on column api_tokens.is_renewable is 'True: a token that a browser got by itself. Each day of use moves expires_at.';

  create table respondents (
    user_id integer primary key references users on delete cascade,
    form_id integer not null references forms on delete cascade,
    is_preview boolean not null default false,
    created_at timestamptz not null default now() constraint respondents_created_at_check check (${isTimestamp('created_at')})
  );
  create index respondents_form_id_idx on respondents (form_id);
  create index respondents_previews_idx on respondents (created_at) where is_preview;
  comment on table respondents is 'Users of one browser and one public form, or of a preview. Deleting a row deletes the user.';
  comment on column respondents.user_id is 'The user, who has no email address.';
  comment on column respondents.form_id is 'The only form of which the respondent may begin submissions.';
  comment on column respondents.is_preview is 'True: may begin submissions of an inactive form, which are tests.';
  comment on column respondents.created_at is 'When the respondent was created. Their tokens expire 180 days later at the latest.';

  create table resume_codes (
    id integer generated by default as identity primary key,
    user_id integer not null references respondents on delete cascade,
    code_hash bytea not null constraint resume_codes_code_hash_key unique
      constraint resume_codes_code_hash_check check (octet_length(code_hash) = 32),
    expires_at timestamptz not null constraint resume_codes_expires_at_check check (${isTimestamp('expires_at')}),
    created_at timestamptz not null default now() constraint resume_codes_created_at_check check (${isTimestamp('created_at')})
  );
  create index resume_codes_user_id_idx on resume_codes (user_id);
  create index resume_codes_expires_at_idx on resume_codes (expires_at);
  comment on table resume_codes is 'Codes with which a respondent continues on another device. A code is deleted when it is used.';
  comment on column resume_codes.id is 'Generated by the database.';
  comment on column resume_codes.user_id is 'The respondent.';
  comment on column resume_codes.code_hash is 'SHA-256 of the code, 32 bytes. The code is not stored.';
  comment on column resume_codes.expires_at is 'The code is rejected from this time.';
  comment on column resume_codes.created_at is 'When the code was issued.';

  create table spent_proofs (
    challenge_hash bytea primary key constraint spent_proofs_challenge_hash_check check (octet_length(challenge_hash) = 32),
    expires_at timestamptz not null constraint spent_proofs_expires_at_check check (${isTimestamp('expires_at')})
  );
  create index spent_proofs_expires_at_idx on spent_proofs (expires_at);
  comment on table spent_proofs is 'Proofs of work that were used. A row is deleted after the proof has expired.';
  comment on column spent_proofs.challenge_hash is 'The challenge of the proof, 32 bytes.';
  comment on column spent_proofs.expires_at is 'When the challenge expires.';

  create function formtrail_open_drafts(respondent integer) returns bigint language plpgsql volatile as $$
  begin
    return (select count(*) from submissions where user_id = respondent and status = 'draft');
  end $$;

  -- A user without this row could begin submissions of every form, so the user is deleted with it.
  -- A server may delete respondents, but no other users, so the function has the rights of the owner.
  create function formtrail_respondent_deleted() returns trigger
  language plpgsql security definer set search_path from current as $$
  begin
    delete from users where id = old.user_id;
    return null;
  end $$;
  create trigger respondents_deleted after delete on respondents
    for each row execute function formtrail_respondent_deleted()`;

/** Tokens that browsers get by themselves, and users without an email address, are not acts of an operator. */
function auditTriggers(isIssued: string, isUser: string): string {
  const when = (...conditions: string[]) => {
    const all = conditions.filter((condition) => condition !== '');
    return all.length === 0 ? '' : `when (${all.map((condition) => `(${condition})`).join(' and ')})`;
  };
  const ofOld = isIssued.replace('new.', 'old.');
  const changed = `(old.user_id, old.token_hash, old.expires_at) is distinct from (new.user_id, new.token_hash, new.expires_at)
    or old.revoked_at is not null and old.revoked_at is distinct from new.revoked_at`;
  const act = (action: string, kind: string) =>
    `execute function formtrail_audit_act('${action}', '${kind}:', 'id')`;
  return `
    drop trigger api_tokens_audit_issued on api_tokens;
    drop trigger api_tokens_audit_changed on api_tokens;
    drop trigger api_tokens_audit_deleted on api_tokens;
    drop trigger users_audit_deleted on users;
    create trigger api_tokens_audit_issued after insert on api_tokens
      for each row ${when(isIssued)} ${act('token.issued', 'token')};
    create trigger api_tokens_audit_changed after update on api_tokens
      for each row ${when(ofOld, changed)} ${act('token.changed', 'token')};
    create trigger api_tokens_audit_deleted after delete on api_tokens
      for each row ${when(ofOld)} ${act('token.deleted', 'token')};
    create trigger users_audit_deleted after delete on users
      for each row ${when(isUser)} ${act('user.deleted', 'user')}`;
}

const actionCheck = (actions: readonly string[], validation = '') => `
  alter table audit_log drop constraint audit_log_action_check;
  alter table audit_log add constraint audit_log_action_check check (action in ('${actions.join(`', '`)}')) ${validation}`;

/** `isTold` is a condition on the new row that ends with `and`, or empty. */
function webhookTriggers(isTold: string): string {
  return `
    drop trigger webhooks_insert on submissions;
    drop trigger webhooks_complete on submissions;
    drop trigger webhooks_delete on submissions;
    create trigger webhooks_insert after insert on submissions
      for each row when (${isTold} formtrail_webhooks_listened()) execute function formtrail_webhooks_submission();
    create trigger webhooks_complete after update of status on submissions
      for each row when (${isTold} old.status <> 'completed' and new.status = 'completed' and formtrail_webhooks_listened())
      execute function formtrail_webhooks_submission();
    create trigger webhooks_delete before delete on submissions
      for each row when (${isTold.replace('new.', 'old.')} formtrail_webhooks_listened())
      execute function formtrail_webhooks_submission();
    create or replace function formtrail_webhooks_truncated() returns trigger
    language plpgsql security definer set search_path from current as $$
    begin
      if exists (select from webhook_endpoints) then
        perform formtrail_webhooks_tell(submissions, 'submission.deleted') from submissions
          ${isTold === '' ? '' : 'where not is_test'};
      end if;
      return null;
    end $$`;
}
