import type { QueryRunner } from 'typeorm';

/** SQL of a timestamp column. ISO 8601 can write only the years 1 to 9999 with four digits. */
export const time = (column: string) => `${column} timestamptz check (${isTime(column)})`;

/** SQL of a timestamp column that says when something ends. `infinity` means never. */
export const timeOrInfinity = (column: string) =>
  `${column} timestamptz check (${isTime(column)} or ${column} = 'infinity')`;

const isTime = (column: string) =>
  `${column} >= '0001-01-01 00:00:00+00' and ${column} < '10000-01-01 00:00:00+00'`;

/**
 * Storage parameters of the tables that requests write to most. By default, PostgreSQL vacuums a table when a fifth of it has changed,
 * and analyses it after a tenth. With millions of rows, both are rare and take long.
 */
export const BUSY = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.01`;

/** A function with the rights of the owner of the tables, because the role that fires the trigger may have fewer. */
export const AS_OWNER = 'language plpgsql security definer set search_path from current as';

/** Adds the comments of tables and columns: in `sql`, the text after `--` on the first line of each. */
export function withComments(sql: string): string {
  const lines = sql.matchAll(/^ *(?:create table (\w+)|"?(\w+)"?)\b.* -- (.+)$/gm);
  let table = '';
  const comments = Array.from(lines, ([, created, column = '', text = '']) => {
    table = created ?? table;
    const what = created === undefined ? `column ${table}."${column}"` : `table ${table}`;
    return `comment on ${what} is '${text.replaceAll("'", "''")}'`;
  });
  return [sql, ...comments].join(';\n');
}

/** The migration UserStorage adds this trigger, and `db distribute` drops it, because distributed tables cannot have triggers. */
export async function hasTriggersOfSubmissions(runner: QueryRunner): Promise<boolean> {
  const found = (await runner.query(
    `select from pg_trigger where tgrelid = 'submissions'::regclass and tgname = 'written_off'`,
  )) as unknown[];
  return found.length > 0;
}
