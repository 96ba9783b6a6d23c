import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The audit log records what operators and panels do with tokens, users, webhooks and forms. Triggers write the log,
 * so that changes by plain SQL are recorded too. Submissions and their values have no such trigger: the command that
 * deletes submissions writes an entry.
 */
export class AuditLog1796000000000 implements MigrationInterface {
  name = 'AuditLog1796000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query(GUARD);
    await runner.query(RECORDING);
    for (const trigger of ROW_TRIGGERS) await runner.query(creationOf(trigger));
    for (const [table, action, kind] of TRUNCATIONS)
      await runner.query(`
        create trigger ${table}_audit_truncate before truncate on ${table}
          for each statement execute function formtrail_audit_truncation('${action}', '${kind}')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { table, name } of ROW_TRIGGERS)
      await runner.query(`drop trigger ${nameOf(table, name)} on ${table}`);
    for (const [table] of TRUNCATIONS) await runner.query(`drop trigger ${table}_audit_truncate on ${table}`);
    await runner.query(`
      drop table audit_log;
      drop function formtrail_audit_guard(), formtrail_audit_act(), formtrail_audit_truncation()`);
  }
}

const TABLE = `
  create table audit_log (
    id bigint generated always as identity primary key,
    happened_at timestamptz not null default now() constraint audit_log_happened_at_check check (
      happened_at >= '0001-01-01 00:00:00+00' and happened_at < '10000-01-01 00:00:00+00'),
    actor varchar(255) not null default '',
    database_role text not null default '',
    action varchar(32) not null constraint audit_log_action_check check (action in (
      'token.issued', 'token.revoked', 'token.changed', 'token.deleted', 'user.changed', 'user.deleted', 'user.erased',
      'webhook.added', 'webhook.rotated', 'webhook.disabled', 'webhook.enabled', 'webhook.changed', 'webhook.removed',
      'form.imported', 'form.deleted', 'submissions.exported', 'submissions.deleted', 'audit.purged')),
    subject varchar(320) not null,
    detail jsonb not null default '{}' constraint audit_log_detail_check check (jsonb_typeof(detail) = 'object')
  );
  create index audit_log_happened_at_id_idx on audit_log (happened_at, id);
  comment on table audit_log is 'The acts of operators and panels that concern access and deletion. Rows are only ever added.';
  comment on column audit_log.id is 'Given by the database.';
  comment on column audit_log.happened_at is 'When it happened. The database always sets it.';
  comment on column audit_log.actor is 'Who did it: the setting formtrail.actor, or the database role. The database always sets it.';
  comment on column audit_log.database_role is 'The role that logged in to the database. The database always sets it.';
  comment on column audit_log.action is 'What was done, such as token.issued.';
  comment on column audit_log.subject is 'What it was done to: a kind, a colon and an identifier, such as token:12. * means all.';
  comment on column audit_log.detail is 'Counts, ids and settings. Never a value of a submission, a secret or an e-mail address.'`;

/**
 * Triggers instead of privileges, because triggers also restrict the owner of the table. In some deployments the owner
 * is the only role.
 */
const GUARD = `
  create function formtrail_audit_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      new.happened_at := statement_timestamp();
      new.actor := left(coalesce(nullif(current_setting('formtrail.actor', true), ''), session_user), 255);
      new.database_role := session_user;
      return new;
    end if;
    if tg_op = 'DELETE' then
      if old.happened_at < now() - interval '30 days' then
        return old;
      end if;
    end if;
    raise exception 'the audit log keeps every entry unchanged for 30 days'
      using errcode = '23514', table = 'audit_log', constraint = 'audit_log_append_only_check';
  end $$;
  create trigger audit_log_guard before insert or update or delete on audit_log
    for each row execute function formtrail_audit_guard();
  create trigger audit_log_guard_truncate before truncate on audit_log
    for each statement execute function formtrail_audit_guard()`;

/**
 * The functions are `security definer`, so that the roles of panels need no privileges on the audit log. `detail`
 * contains only values of the columns that are listed here: no hash, no secret, no email address. `detail` contains
 * the host of a URL, but not the path, because the path may be a secret.
 */
const RECORDING = `
  create function formtrail_audit_act() returns trigger
  language plpgsql security definer set search_path from current as $$
  declare
    item jsonb;
    known jsonb;
  begin
    if tg_op = 'DELETE' then
      item := to_jsonb(old);
    else
      item := to_jsonb(new);
    end if;
    select coalesce(jsonb_object_agg(key, value), '{}') into known from jsonb_each(item)
     where key in ('user_id', 'expires_at', 'form_id', 'events', 'body', 'uuid');
    if item ? 'url' then
      known := known || jsonb_build_object('host', substring(item ->> 'url' from '^[a-z]+://(?:[^/?#]*@)?([^/?#]+)'));
    end if;
    if tg_op = 'UPDATE' then
      known := known || jsonb_build_object('changed', (
        select jsonb_agg(key order by key) from jsonb_each(item) where value is distinct from to_jsonb(old) -> key));
    end if;
    insert into audit_log (action, subject, detail) values (tg_argv[0], tg_argv[1] || (item ->> tg_argv[2]), known);
    return null;
  end $$;

  create function formtrail_audit_truncation() returns trigger
  language plpgsql security definer set search_path from current as $$
  declare
    gone bigint;
  begin
    execute format('select count(*) from %I.%I', tg_table_schema, tg_table_name) into gone;
    insert into audit_log (action, subject, detail)
      values (tg_argv[0], tg_argv[1] || ':*', jsonb_build_object('count', gone));
    return null;
  end $$`;

interface RowTrigger {
  readonly table: string;
  readonly name: string;
  readonly event: 'insert' | 'update' | 'delete';
  readonly condition?: string;
  /** The action, the kind with its colon, and the column that identifies the row. */
  readonly act: readonly [action: string, kind: string, column: string];
}

const token = (name: string, event: RowTrigger['event'], condition?: string): RowTrigger =>
  actOn('api_tokens', 'token', 'id', name, event, condition);
const webhook = (name: string, event: RowTrigger['event'], condition?: string): RowTrigger =>
  actOn('webhook_endpoints', 'webhook', 'id', name, event, condition);

/** The conditions exclude changes that do not concern access, such as the first failure of an endpoint. */
const ROW_TRIGGERS: readonly RowTrigger[] = [
  token('issued', 'insert'),
  token('revoked', 'update', 'old.revoked_at is null and new.revoked_at is not null'),
  token(
    'changed',
    'update',
    `(old.user_id, old.token_hash, old.expires_at) is distinct from (new.user_id, new.token_hash, new.expires_at)
       or old.revoked_at is not null and old.revoked_at is distinct from new.revoked_at`,
  ),
  token('deleted', 'delete'),
  actOn('users', 'user', 'id', 'changed', 'update', 'old.email is distinct from new.email'),
  actOn('users', 'user', 'id', 'deleted', 'delete'),
  webhook('added', 'insert'),
  webhook('rotated', 'update', 'old.secret is distinct from new.secret'),
  webhook('disabled', 'update', 'old.disabled_reason is null and new.disabled_reason is not null'),
  webhook('enabled', 'update', 'old.disabled_reason is not null and new.disabled_reason is null'),
  webhook(
    'changed',
    'update',
    '(old.form_id, old.url, old.events, old.body) is distinct from (new.form_id, new.url, new.events, new.body)',
  ),
  webhook('removed', 'delete'),
  actOn('forms', 'form', 'slug', 'deleted', 'delete'),
];

const TRUNCATIONS = [
  ['api_tokens', 'token.deleted', 'token'],
  ['users', 'user.deleted', 'user'],
  ['webhook_endpoints', 'webhook.removed', 'webhook'],
  ['forms', 'form.deleted', 'form'],
] as const;

function actOn(
  table: string,
  kind: string,
  column: string,
  name: string,
  event: RowTrigger['event'],
  condition?: string,
): RowTrigger {
  const act = [`${kind}.${name}`, `${kind}:`, column] as const;
  return { table, name, event, act, ...(condition !== undefined && { condition }) };
}

const nameOf = (table: string, name: string) => `${table}_audit_${name}`;

function creationOf({ table, name, event, condition, act }: RowTrigger): string {
  return `
    create trigger ${nameOf(table, name)} after ${event} on ${table}
      for each row ${condition === undefined ? '' : `when (${condition})`}
      execute function formtrail_audit_act('${act.join(`', '`)}')`;
}
