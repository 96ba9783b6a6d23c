import type { DataSource, EntityManager } from 'typeorm';
import { ON_SHARD_FUNCTIONS } from './on-shard.js';
import type { distributionStatus } from './status.js';
import { creationOf, DISTRIBUTED_TABLES, MIRROR_OF, MIRRORS, triggersOf } from './tables.js';

const TABLES = `'{${DISTRIBUTED_TABLES.map(({ table }) => table).join()}}'::regclass[]`;

/**
 * Citus supports no triggers on distributed tables, and rejects those of other programs. Without the triggers that record deletions of
 * submissions, nothing records those of users.
 */
const TRIGGERS = `select tgname || ' on ' || tgrelid::regclass as name from pg_trigger join pg_proc on pg_proc.oid = tgfoid
  where not tgisinternal
    and (tgrelid = any (${TABLES}) and starts_with(proname, 'formtrail_') or proname = 'formtrail_user_erased')`;

/** The foreign keys of distributed tables, and those of the table of files, which are not added again. */
const FOREIGN_KEYS = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
         case when conrelid = any (${TABLES}) then format('alter table %s add constraint %I %s',
           conrelid::regclass, conname, pg_get_constraintdef(oid)) end as add
    from pg_constraint
   where contype = 'f' and (conrelid = any (${TABLES}) or conrelid = 'files'::regclass and confrelid = any (${TABLES}))
   order by 1`;

/**
 * Checks with which the database rejects features that need triggers on submissions, or locks on several submissions,
 * and the reason why existing rows prevent the distribution.
 */
const CHECKS: readonly (readonly [table: string, name: string, check: string, reason: string])[] = [
  [
    ...(['files', 'files_one_server_check', 'false'] as const),
    'Submissions have files. Delete these submissions, or the values with files, first.',
  ],
  [
    ...(['webhook_endpoints', 'webhook_endpoints_one_server_check', 'false'] as const),
    'Webhooks need triggers on submissions. Remove their endpoints first.',
  ],
  [
    ...(['forms', 'forms_one_server_check', `access = 'token'`] as const),
    'A form is public, and would have respondents. Set its access to token first.',
  ],
  [
    'forms',
    'forms_limits_one_server_check',
    'num_nonnulls(opens_at, closes_at, max_submissions, max_per_user) = 0',
    'A form has an opening time or a limit, which need triggers on submissions. Set opens_at, closes_at, max_submissions and max_per_user to null first.',
  ],
  [
    ...(['forms', 'forms_keeping_one_server_check'] as const),
    'num_nonnulls(keep_completed_days, keep_drafts_days, keep_personal_days) = 0',
    'A form has a period after which answers are deleted, which needs triggers on submissions. Set keep_completed_days, keep_drafts_days and keep_personal_days to null first.',
  ],
  [
    ...(['submissions', 'submissions_held_one_server_check', 'not held'] as const),
    'A submission is held, which needs triggers on submissions. Set held to false first.',
  ],
  [
    ...(['options', 'options_one_server_check', 'places is null'] as const),
    'An option has places, which need triggers on submissions. Set them to null first.',
  ],
  [
    ...(['respondents', 'respondents_one_server_check', 'false'] as const),
    'There are respondents. Delete the rows of the table respondents first.',
  ],
];

/**
 * Citus moves shards by logical replication, which finds a changed row by its replica identity. Before PostgreSQL 18,
 * logical replication does not send generated columns. The primary key of values contains a generated column, so a
 * separate column is the replica identity.
 */
const REPLICA_IDENTITY = [
  'alter table submission_values add column replica_id uuid not null default gen_random_uuid()',
  'alter table submission_values add constraint submission_values_replica_id_key unique (submission_uuid, replica_id)',
  'alter table submission_values replica identity using index submission_values_replica_id_key',
  `comment on column submission_values.replica_id is 'Tells values apart while Citus moves a shard. Made by the database.'`,
];

/** Returns a sentence that says why the tables cannot be distributed now. Returns undefined if they can be distributed. */
export async function obstacle(
  { manager }: Pick<DataSource, 'manager'>,
  { citus, nodes }: Awaited<ReturnType<typeof distributionStatus>>,
): Promise<string | undefined> {
  const exists = async (sql: string) => (await manager.query<unknown[]>(sql)).length > 0;
  if (citus === undefined)
    return 'The database has no Citus. Install it on all nodes, then "create extension citus" in this database.';
  if (nodes.length === 0)
    return 'No node of Citus may hold shards. Add one with "select citus_add_node(host, port)".';
  for (const [table, , check, reason] of CHECKS)
    if (await exists(`select from ${table} where not (${check}) limit 1`)) return reason;
  const isListener = `datname = current_database() and application_name = 'formtrail-listener'`;
  if (await exists(`select from pg_stat_activity where ${isListener}`))
    return 'Formtrail is running on the database. Stop it first: it prepares its statements for one server.';
  return undefined;
}

/** Distributes the tables and their rows in one transaction. Open connections do not get the new settings of the database. */
export async function distribute(dataSource: DataSource, onStep: (step: string) => void): Promise<void> {
  await dataSource.transaction(async (manager) => {
    const run = async (step: string, statements: readonly string[]) => {
      onStep(step);
      for (const statement of statements) await manager.query(statement);
    };
    // In the parallel mode, Citus rejects a transaction that reads all shards and then writes to a reference table.
    // The command "forms import" does that.
    await manager.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
    const triggers = await manager.query<{ name: string }[]>(TRIGGERS);
    await run(
      'Dropping the triggers that send webhooks, delete files, count what users store, record deletions, and set the time of completion',
      triggers.map(({ name }) => `drop trigger ${name}`),
    );
    await run('Rejecting files, webhooks, respondents, opening times, limits, periods and held submissions', [
      'delete from user_storage',
      ...CHECKS.map(([table, name, check]) => `alter table ${table} add constraint ${name} check (${check})`),
    ]);
    await run('Adding a column that lets Citus move shards of values during writes', REPLICA_IDENTITY);
    const keys = await manager.query<{ drop: string; add: string | null }[]>(FOREIGN_KEYS);
    await run(
      'Dropping the foreign keys',
      keys.map(({ drop }) => drop),
    );
    for (const mirror of MIRRORS)
      await run(`Creating ${mirror.name}, a copy of ${mirror.table} on every worker`, creationOf(mirror));
    for (const { table, column, colocatedWith } of DISTRIBUTED_TABLES)
      await run(`Distributing ${table} by ${column}`, [
        `select create_distributed_table('${table}', '${column}', colocate_with => '${colocatedWith}')`,
        `select truncate_local_data_after_distributing_table('${table}')`,
      ]);
    // They refer to the mirrors of tables that stay on the coordinator.
    const toMirrors = (sql: string) => sql.replace(/(?<= REFERENCES )\w+/, (one) => MIRROR_OF[one] ?? one);
    await run(
      'Adding the foreign keys again',
      keys.flatMap(({ add }) => (add === null ? [] : [toMirrors(add)])),
    );
    await run('Creating the triggers that update the copies', MIRRORS.flatMap(triggersOf));
    onStep('Creating the functions that execute statements on shards');
    await createFunctions(manager);
    const [{ name }] = await manager.query<[{ name: string }]>(
      'select quote_ident(current_database()) as name',
    );
    await run('Changing the settings of the database', [
      `alter database ${name} set citus.multi_shard_modify_mode = 'sequential'`,
      // Citus then sends `set local` to the workers too. The timeouts of locks and of idle transactions need this.
      `alter database ${name} set citus.propagate_set_commands = 'local'`,
    ]);
  });
}

/** Creates the functions of this version, also in a database that another version has distributed. */
export async function createFunctions(manager: EntityManager): Promise<void> {
  for (const sql of ON_SHARD_FUNCTIONS) await manager.query(sql);
}
