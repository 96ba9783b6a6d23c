import type { DataSource, EntityManager } from 'typeorm';
import type { Statement } from '../../database/statement.js';
import { DISTRIBUTED_TABLES } from './distribute.js';
import { MIRRORS } from './mirrors.js';
import { isOneServer } from './shards.js';

type Text = Pick<Statement<unknown>, 'name' | 'text'>;
type Rewrite = (sql: string) => string;

const alternatives = (tables: readonly { readonly table: string }[]) =>
  tables.map(({ table }) => table).join('|');
const NAMES_DISTRIBUTED = new RegExp(`\\b(from|join|into|update) (${alternatives(DISTRIBUTED_TABLES)})\\b`);
const MIRRORED = new RegExp(`\\b(from|join) (${alternatives(MIRRORS)})\\b(?: as (\\w+))?`, 'g');
const OF_ITS_SUBMISSION = /((?:submissions\.uuid|(?:\w+\.)?submission_uuid)) = (?:input|written)\.uuid\b/g;

/**
 * Replaces mirrored tables by their mirrors in statements on distributed tables, because the mirrored tables are only
 * on the coordinator.
 */
function withMirrors(sql: string): string {
  if (!NAMES_DISTRIBUTED.test(sql)) return sql;
  return sql.replace(MIRRORED, (_, word: string, table: string, alias = table) => {
    const mirror = MIRRORS.find((one) => one.table === table);
    return `${word} ${mirror?.name} as ${alias}`;
  });
}

/**
 * Adds a condition that contains the first parameter, the array of UUIDs. Without this condition, Citus does not find
 * the shard of a batch.
 */
const withShardCondition: Rewrite = (sql) =>
  sql.replace(OF_ITS_SUBMISSION, (condition, column: string) => `${condition} and ${column} = any ($1)`);

function replaceOnce(
  sql: string,
  part: string | RegExp,
  replacement: (...groups: string[]) => string,
): string {
  const rewritten = sql.replace(part, (_, ...groups: string[]) => replacement(...groups));
  if (rewritten === sql)
    throw new Error(`The rewriting for Citus does not match this statement any more: ${sql}`);
  return rewritten;
}

/** Removes the locking clause, because Citus can lock rows of one shard only. */
const withoutLocks: Rewrite = (sql) => replaceOnce(sql, ' for update skip locked', () => '');

/**
 * Replaces the lateral join, because Citus does not support it. Each shard returns a page, and Citus merges the pages.
 */
const listOfAllShards: Rewrite = (sql) => {
  let ofUser = '';
  const onShards = replaceOnce(
    sql,
    /unnest\(\$2::varchar\[\]\)[^]*?where status = wanted_status and ([^]*?)\s+order by[^]*?\) as submissions/,
    (condition) => {
      ofUser = condition;
      return 'submissions';
    },
  );
  return replaceOnce(
    onShards,
    /(order by created_at desc, submissions\.uuid desc limit \$5)$/,
    (order) => `where status = any ($2::varchar[]) and ${ofUser} ${order}`,
  );
};

/** Removes the total of the user, which is on the coordinator. Nothing counts it, because distributed tables have no triggers. */
const withoutUserStorage: Rewrite = (sql) =>
  replaceOnce(
    sql,
    /lateral \(select [^]*? from user_storage [^]*?\) as of_user/,
    () => '(values (0, 0)) as of_user (stored, changes)',
  );

/**
 * Replaces the position among the steps, whose subquery has subqueries of its own. In a query of all shards, Citus supports these
 * only if a distributed table is beside them, so here they are joins.
 */
const withFlatPosition: Rewrite = (sql) =>
  replaceOnce(
    sql,
    /count\(\*\) filter \(where until\.step_number <= \([^]*?\)\)\)(\s+else [^]*? from steps as until)/,
    (rest) => `count(*) filter (where until.step_number <= held.step_number)${rest}
    left join deleted_steps as gone on gone.id = submissions.step_id
    left join steps as held
      on held.form_id = submissions.form_id and held.id = coalesce(gone.moved_to, submissions.step_id)`,
  );

/** Rewrites of the statements that need a different text on the coordinator, by the name of the statement. */
const COORDINATOR_TEXTS: Readonly<Record<string, Rewrite>> = {
  // Citus materialises INSERT … SELECT on the coordinator, so use VALUES.
  'submissions.create': (sql) =>
    replaceOnce(
      sql,
      /select uuid, form_id, user_id, begun_version, step_id, 1 from [^]*\s+returning array_position\(\$1, uuid\)/,
      () =>
        `values (($1::uuid[])[1], ($2::integer[])[1], ($3::integer[])[1], ($4::integer[])[1], ($5::integer[])[1], 1) returning 1`,
    ),
  'submissions.store_values': withoutUserStorage,
  'submissions.list': (sql) => listOfAllShards(withFlatPosition(sql)),
  'submissions.list_of_form': (sql) => listOfAllShards(withFlatPosition(sql)),
  'submissions.export': withFlatPosition,
  'submissions.purge': withoutLocks,
  'idempotency.sweep': withoutLocks,
  // Citus supports `select … for update` in one shard only, but `update` in all shards.
  'submissions.lock_all': (sql) =>
    replaceOnce(
      sql,
      /select count[^]* where (\w+ = \$1) [^]*/,
      (condition) => `update submissions set status = status where ${condition}`,
    ),
  // Citus does not support the lateral join with its limit, so each shard groups its rows by the id.
  'forms.ids_in_use': (sql) =>
    replaceOnce(
      sql,
      /select wanted\.id[^]*from (\w+) where (\w+) = wanted[^]*/,
      (table, column) => `select ${column} as id from ${table} where ${column} = any ($1) group by ${column}`,
    ),
};

function memoized(rewrite: (statement: Text) => string): (statement: Text) => string {
  const rewritten = new Map<string, string>();
  return (statement) => {
    let text = rewritten.get(statement.text);
    if (text === undefined) rewritten.set(statement.text, (text = rewrite(statement)));
    return text;
  };
}

/** Returns the text of a statement for the coordinator, which plans the statement. */
export const coordinatorText = memoized(({ name, text }) => {
  const own = COORDINATOR_TEXTS[name];
  return withMirrors(withShardCondition(own === undefined ? text : own(text)));
});

/**
 * Returns the text of a statement for a worker. The worker executes it on the tables of one shard, and replaces SHARD
 * by the number of the shard.
 */
export const shardText = memoized(({ name, text }) => {
  const sql = withMirrors(text.replace(/^\/\*.*?\*\/ /, ''));
  if (name === 'submissions.store_values') return withoutUserStorage(sql);
  // An insert must select the submissions of its shard. Other statements find no rows of other shards.
  return name === 'submissions.create'
    ? replaceOnce(
        sql,
        'for key share of',
        () =>
          `where get_shard_id_for_distribution_column('submissions', input.uuid) = SHARD for key share of`,
      )
    : sql;
});

/** Returns the text of a statement for this database, for callers that execute it without {@link Database}. */
export async function textOn(database: DataSource | EntityManager, statement: Text): Promise<string> {
  return (await isOneServer(database)) ? statement.text : coordinatorText(statement);
}
