import type { Statement } from '../../database/statement.js';
import type { Shard } from './shards.js';
import { DISTRIBUTED_TABLES, MIRROR_OF, MIRRORS } from './tables.js';

type Text = Pick<Statement<unknown>, 'name' | 'text'>;
type Rewrite = (sql: string) => string;

const NAMES_DISTRIBUTED = new RegExp(
  `\\b(from|join|into|update) (${DISTRIBUTED_TABLES.map(({ table }) => table).join('|')})\\b`,
);
const TABLE = /\b(from|join|into|update) (\w+)\b(?: as (\w+))?/g;

/** Nothing counts what users store, because distributed tables have no triggers, and workers do not have this table. */
const EMPTY_TABLES = { user_storage: '(select 0 as user_id, 0 as text_bytes limit 0)' };

/** Replaces tables in a statement on distributed tables by the tables that have these names. */
function withTables(sql: string, names: Readonly<Record<string, string>>): string {
  return sql.replace(TABLE, (found, word: string, table: string, alias = table) =>
    names[table] === undefined ? found : `${word} ${names[table]} as ${alias}`,
  );
}

/** Whether the statement is on the tables of submissions, or on idempotency keys. */
export const isDistributed = ({ text }: Text) => NAMES_DISTRIBUTED.test(text);

function replaceOnce(sql: string, part: RegExp, replacement: string): string {
  if (part.test(sql)) return sql.replace(part, replacement);
  throw new Error(`The rewriting for Citus does not match this statement any more: ${sql}`);
}

/** Replaces the lateral join, because Citus does not support it. Each shard returns a page, and Citus merges the pages. */
const listOfAllShards: Rewrite = (sql) =>
  replaceOnce(
    withFlatPosition(sql),
    /unnest\(\$2::varchar\[\]\)[^]*? where status = wanted_status and ([^]*?)\s+order by[^]*?\) as (submissions[^]*)(order by .*)$/,
    '$2where status = any ($$2::varchar[]) and $1 $3',
  );

/**
 * Replaces the position among the steps, whose subquery has subqueries of its own. In a query of all shards, Citus supports these
 * only if a distributed table is beside them, so here they are joins.
 */
const withFlatPosition: Rewrite = (sql) =>
  replaceOnce(
    sql,
    /count\(\*\) filter \(where until\.step_number <= \([^]*?\)\)\)(\s+else [^]*? from steps as until)/,
    `count(*) filter (where until.step_number <= held.step_number)$1
    left join deleted_steps as gone on gone.id = submissions.step_id
    left join steps as held
      on held.form_id = submissions.form_id and held.id = coalesce(gone.moved_to, submissions.step_id)`,
  );

/** Rewrites of the statements that need a different text on the coordinator, by the name of the statement. */
const COORDINATOR_TEXTS: Readonly<Record<string, Rewrite>> = {
  'submissions.list': listOfAllShards,
  'submissions.list_of_form': listOfAllShards,
  'submissions.export': withFlatPosition,
  // Citus supports `select … for update` in one shard only, but `update` in all shards.
  'submissions.lock_all': (sql) =>
    replaceOnce(
      sql,
      /select count[^]* where (\w+ = \$1) [^]*/,
      'update submissions set status = status where $1',
    ),
};

const cache = new Map<string, string>();

function cached(key: string, textOf: () => string): string {
  let text = cache.get(key);
  if (text === undefined) cache.set(key, (text = textOf()));
  return text;
}

/** Returns the text of a statement for the coordinator, which executes what is on several shards. */
export function coordinatorSql(statement: Text): string {
  return cached(statement.text, () => {
    if (!isDistributed(statement)) return statement.text;
    const sql = COORDINATOR_TEXTS[statement.name]?.(statement.text) ?? statement.text;
    return withTables(sql, MIRROR_OF).replace(' for update skip locked', '');
  });
}

/** Returns the text of a statement for the worker that has the shard. */
export function shardSql({ name, text }: Text, { id, tables }: Shard): string {
  return cached(`${id} ${name}`, () => {
    const mirrors = MIRRORS.map((mirror) => [mirror.table, tables[mirror.name] ?? '']);
    const sql = text
      .replace(/^\/\*.*?\*\/ /, '')
      // The last parameter is the id, which the coordinator assigns.
      .replace(
        /insert into entity_records \(([^)]*)\)\s+select/,
        'insert into entity_records (id, $1) select $6::bigint,',
      )
      // PL/pgSQL opens no cursor for a statement that returns nothing.
      .replace(/^(?!select|with|[^]*\breturning\b)[^]*$/, '$& returning true');
    return withTables(sql, {
      ...EMPTY_TABLES,
      ...tables,
      ...(Object.fromEntries(mirrors) as Shard['tables']),
    });
  });
}
