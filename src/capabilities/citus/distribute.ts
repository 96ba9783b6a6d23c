import type { DataSource, EntityManager } from 'typeorm';
import { creationOf, MIRRORS, triggersOf } from './mirrors.js';
import { ON_SHARDS_FUNCTIONS } from './on-shards.js';

/** The tables that grow with use, each with its distribution column and the table with which it is colocated. */
export const DISTRIBUTED_TABLES = [
  { table: 'submissions', column: 'uuid', colocatedWith: 'none' },
  { table: 'entity_records', column: 'submission_uuid', colocatedWith: 'submissions' },
  { table: 'submission_values', column: 'submission_uuid', colocatedWith: 'submissions' },
  { table: 'idempotency_keys', column: 'key', colocatedWith: 'none' },
] as const;

/**
 * The triggers that queue the deletions of files. Distributed submissions have no files, because Citus supports no
 * triggers on distributed tables.
 */
const FILE_TRIGGERS = ['submission_values_file_replaced', 'submission_values_file_deleted'];
/** The foreign keys of files that refer to distributed tables. */
const FILE_KEYS = ['files_form_id_submission_uuid_fkey', 'files_submission_uuid_entity_record_id_fkey'];
/**
 * Citus moves shards by logical replication, which finds a changed row by its replica identity. Before PostgreSQL 18,
 * logical replication does not send generated columns. The primary key of values contains a generated column, so a
 * separate column is the replica identity.
 */
export const REPLICA_IDENTITY = [
  'alter table submission_values add column replica_id uuid not null default gen_random_uuid()',
  'alter table submission_values add constraint submission_values_replica_id_key unique (submission_uuid, replica_id)',
  'alter table submission_values replica identity using index submission_values_replica_id_key',
  `comment on column submission_values.replica_id is 'Tells values apart while Citus moves a shard. Made by the database.'`,
];
/**
 * Distributed submissions have no webhooks, so `distribute` drops these triggers and makes the database reject webhook
 * endpoints.
 */
const WEBHOOK_TRIGGERS = ['webhooks_insert', 'webhooks_complete', 'webhooks_delete', 'webhooks_truncate'];

/** Triggers that count what users store. Nothing limits that on distributed tables, so `distribute` drops them. */
const STORAGE_TRIGGERS = {
  submissions: ['written_off', 'storage_moved'],
  submission_values: ['storage_insert', 'storage_update', 'storage_delete', 'storage_truncate'],
} as const;

/**
 * Checks with which the database rejects respondents and previews. Their limit of drafts counts all submissions of a user
 * under a lock, which Citus does not support.
 */
const WITHOUT_RESPONDENTS = [
  `alter table forms add constraint forms_one_server_check check (access = 'token')`,
  'alter table respondents add constraint respondents_one_server_check check (false)',
];

export interface DistributionStatus {
  /** The version of the Citus extension. Undefined if the database does not have the extension. */
  readonly citus: string | undefined;
  /** The nodes that may hold shards. */
  readonly nodes: readonly string[];
  /** The number of shards of the table `submissions`. 0 if the tables are not distributed. */
  readonly shards: number;
}

export async function distributionStatus({
  manager,
}: Pick<DataSource, 'manager'>): Promise<DistributionStatus> {
  const [extension] = await manager.query<{ extversion: string }[]>(
    `select extversion from pg_extension where extname = 'citus'`,
  );
  if (extension === undefined) return { citus: undefined, nodes: [], shards: 0 };
  const nodes = await manager.query<{ node: string }[]>(
    `select nodename || ':' || nodeport as node from pg_dist_node where isactive and shouldhaveshards order by nodeid`,
  );
  const [{ shards }] = await manager.query<[{ shards: number }]>(
    `select count(*)::integer as shards from pg_dist_shard where logicalrelid = to_regclass('submissions')`,
  );
  return { citus: extension.extversion, nodes: nodes.map(({ node }) => node), shards };
}

/**
 * Returns a sentence that says why the tables cannot be distributed now. Returns undefined if the tables can be
 * distributed.
 */
export async function obstacle(
  { manager }: Pick<DataSource, 'manager'>,
  { citus, nodes }: DistributionStatus,
): Promise<string | undefined> {
  if (citus === undefined)
    return 'The database has no Citus. Install it on all nodes, then "create extension citus" in this database.';
  if (nodes.length === 0)
    return 'No node of Citus may hold shards. Add one with "select citus_add_node(host, port)".';
  const unknown = await manager.query<{ name: string }[]>(
    `select conrelid::regclass::text as name from pg_constraint
      where contype = 'f' and confrelid = any ($1::regclass[]) and conrelid <> all ($1::regclass[])
        and conrelid <> 'files'::regclass order by 1`,
    [DISTRIBUTED_TABLES.map(({ table }) => table)],
  );
  if (unknown[0] !== undefined)
    return `The table ${unknown[0].name} is not a table of Formtrail and refers to a table that would be distributed.`;
  const [triggered] = await manager.query<{ name: string }[]>(
    `select tgname || ' on ' || tgrelid::regclass as name from pg_trigger
      where not tgisinternal and tgrelid = any ($1::regclass[]) and tgname <> all ($2) order by 1`,
    [
      DISTRIBUTED_TABLES.map(({ table }) => table),
      [...FILE_TRIGGERS, ...WEBHOOK_TRIGGERS, ...Object.values(STORAGE_TRIGGERS).flat()],
    ],
  );
  if (triggered !== undefined)
    return `Citus does not support triggers on distributed tables, but there is ${triggered.name}.`;
  const [file] = await manager.query<unknown[]>('select from files limit 1');
  if (file !== undefined)
    return 'Submissions have files, which cannot be distributed. Delete these submissions, or the values with files, first.';
  const [endpoint] = await manager.query<unknown[]>('select from webhook_endpoints limit 1');
  if (endpoint !== undefined)
    return 'Webhooks need triggers on submissions, which Citus does not support. Remove their endpoints first.';
  const [form] = await manager.query<{ slug: string }[]>(
    `select slug from forms where access = 'public' limit 1`,
  );
  if (form !== undefined)
    return `The form "${form.slug}" is public, but distributed submissions have no respondents. Set its access to token first.`;
  const [respondent] = await manager.query<unknown[]>('select from respondents limit 1');
  if (respondent !== undefined)
    return 'There are respondents, but distributed submissions have none. Delete the rows of the table respondents first.';
  const [service] = await manager.query<unknown[]>(
    `select from pg_stat_activity
      where datname = current_database() and application_name = 'formtrail-listener'`,
  );
  if (service !== undefined)
    return 'Formtrail is running on the database. Stop it first: it prepares its statements for one server.';
  return undefined;
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Distributes the tables that grow with use, including their rows, in one transaction. Calls `onStep` before each step. Connections
 * that are already open do not get the new settings of the database.
 */
export async function distribute(dataSource: DataSource, onStep: (step: string) => void): Promise<void> {
  await dataSource.transaction(async (manager) => {
    const run = async (statements: readonly string[]) => {
      for (const statement of statements) await manager.query(statement);
    };
    // In the parallel mode, Citus rejects a transaction that reads all shards and then writes to a reference table.
    // The command "forms import" does that.
    await manager.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
    onStep('Dropping the triggers and foreign keys of files');
    await run(FILE_TRIGGERS.map((name) => `drop trigger if exists ${name} on submission_values`));
    await run(FILE_KEYS.map((name) => `alter table files drop constraint ${name}`));
    onStep('Dropping the triggers of webhooks');
    await run([
      ...WEBHOOK_TRIGGERS.map((name) => `drop trigger ${name} on submissions`),
      'alter table webhook_endpoints add constraint webhook_endpoints_one_server_check check (false)',
    ]);
    onStep('Dropping the triggers that count what users store');
    await run(
      Object.entries(STORAGE_TRIGGERS).flatMap(([table, names]) =>
        names.map((name) => `drop trigger if exists ${name} on ${table}`),
      ),
    );
    await run(['delete from user_storage']);
    onStep('Rejecting respondents');
    await run(WITHOUT_RESPONDENTS);
    onStep('Adding a column that lets Citus move shards of values during writes');
    await run(REPLICA_IDENTITY);
    onStep('Dropping the foreign keys');
    const keys = await foreignKeys(manager);
    await run(keys.map(({ table, name }) => `alter table ${table} drop constraint ${name}`));
    for (const mirror of MIRRORS) {
      onStep(`Creating ${mirror.name}, a copy of ${mirror.table} on every worker`);
      await run(creationOf(mirror));
    }
    for (const { table, column, colocatedWith } of DISTRIBUTED_TABLES) {
      onStep(`Distributing ${table} by ${column}`);
      await run([
        `select create_distributed_table('${table}', '${column}', colocate_with => '${colocatedWith}')`,
        `select truncate_local_data_after_distributing_table('${table}')`,
      ]);
    }
    onStep('Adding the foreign keys again');
    await run(
      keys.map(({ table, name, definition }) => {
        return `alter table ${table} add constraint ${name} ${redirected(definition)}`;
      }),
    );
    onStep('Creating the triggers that update the copies');
    await run(MIRRORS.flatMap(triggersOf));
    onStep('Creating the functions that execute statements on shards');
    await run(ON_SHARDS_FUNCTIONS);
    const [{ name }] = await manager.query<[{ name: string }]>(
      'select quote_ident(current_database()) as name',
    );
    await manager.query(`alter database ${name} set citus.multi_shard_modify_mode = 'sequential'`);
    // Citus then sends `set local` to the workers too. The timeouts of locks and of idle transactions need this.
    await manager.query(`alter database ${name} set citus.propagate_set_commands = 'local'`);
  });
}

/** Returns the foreign keys of the tables to distribute. */
function foreignKeys(manager: EntityManager): Promise<ForeignKey[]> {
  return manager.query<ForeignKey[]>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and conrelid = any ($1::regclass[]) order by 1, 2`,
    [DISTRIBUTED_TABLES.map(({ table }) => table)],
  );
}

/** Makes a foreign key refer to the mirror of a table that stays on the coordinator. */
function redirected(definition: string): string {
  const mirror = MIRRORS.find(({ table }) => definition.includes(` REFERENCES ${table}(`));
  return mirror === undefined
    ? definition
    : definition.replace(` REFERENCES ${mirror.table}(`, ` REFERENCES ${mirror.name}(`);
}
