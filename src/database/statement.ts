import { DISTRIBUTED, type Layout, ONE_SERVER, ONE_SHARD } from './distribution/layout.js';

/** How the value of a column is read from PostgreSQL's text for it; null is not shown to it and stays null. */
export type Read<T> = (value: string) => T;

export const text: Read<string> = (value) => value;
export const integer: Read<number> = Number;
export const boolean: Read<boolean> = (value) => value === 't';
export const json = <T>(): Read<T> => JSON.parse as Read<T>;
export const bytes: Read<Buffer> = (value) => Buffer.from(value.slice('\\x'.length), 'hex');
export const nullable = <T>(read: Read<T>): Read<T | null> => read;

/** What a statement gives, in the order in which it gives it: names and types are known here, and never asked for. */
export type Columns<Row> = { readonly [Name in keyof Row]-?: Read<Row[Name]> };

/** SQL that each connection prepares once, under its name. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** The same where the tables are distributed. */
  readonly distributed: string;
  readonly read: (values: readonly (string | null)[]) => Row;
}

export function statement<Row>(
  name: string,
  sql: string | ((layout: Layout) => string),
  columns: Columns<Row>,
): Statement<Row> {
  const textOn = typeof sql === 'string' ? () => sql : sql;
  return {
    name,
    text: commented(name, textOn(ONE_SERVER)),
    distributed: commented(name, textOn(DISTRIBUTED)),
    read: rowReader(columns),
  };
}

/** Names the statement in `pg_stat_statements`, in `pg_stat_activity` and in PostgreSQL's log. */
const commented = (name: string, sql: string) => `/* ${name} */ ${sql}`;

/** What a parameter of a {@link BatchedStatement} can be; arrays are given as PostgreSQL's text for them. */
export type Parameter = string | number | boolean | null;

/** A row, and for which of those who share the statement it is, from 1. */
export interface BatchedRow<Row> {
  readonly position: number;
  readonly row: Row;
}

/** A statement that requests which come at the same time can share; for each of them it gives one row or none. */
export interface BatchedStatement<Row> extends Statement<BatchedRow<Row>> {
  /** The same for one shard. */
  readonly onShard: string;
  /** Of the parameters: the types that PostgreSQL has for them. */
  readonly types: readonly string[];
  /** Which parameter must be the same for all who share it; undefined: none. */
  readonly batchedBy: number | undefined;
}

interface Sharing<Name extends string> {
  readonly batchedBy?: Name;
  /** The rows that it locks: how they are joined to what is asked for, and how they are locked. */
  readonly locks?: { readonly join: string | ((layout: Layout) => string); readonly lock: string };
}

/**
 * One text for one request and for many: `sql` is given what is asked for, as an item of a FROM clause that is named
 * `input` and has the parameters, which `parameters` types, and a `position`, which must be the first column of the
 * result. It never waits for a row: it gives none to those whose `locks` others have at the moment ({@link Executor.retryWhileLocked}).
 */
export function batchedStatement<Row, Name extends string>(
  name: string,
  parameters: Readonly<Record<Name, string>>,
  sql: (input: string, layout: Layout) => string,
  columns: Columns<Row>,
  { batchedBy, locks }: Sharing<NoInfer<Name>> = {},
): BatchedStatement<Row> {
  const names = Object.keys(parameters);
  const types = Object.values<string>(parameters);
  const arrays = types.map((type, at) => `$${at + 1}::${type}[]`);
  // The limit changes nothing but what is planned for any parameters: with it PostgreSQL expects one row, and looks it up
  // by its key, also where the plan was made while the tables were empty.
  const input = `(select * from unnest(${arrays.join()}) with ordinality as input (${names.join()}, position)
      limit cardinality(${arrays[0]})) as input`;
  const textOn = (layout: Layout) => {
    if (locks === undefined) return sql(input, layout);
    const join = typeof locks.join === 'string' ? locks.join : locks.join(layout);
    return sql(`(select input.* from ${input} ${join} ${locks.lock} skip locked) as input`, layout);
  };
  const read = rowReader(columns, 1);
  return {
    name,
    text: commented(name, textOn(ONE_SERVER)),
    distributed: commented(name, textOn(DISTRIBUTED)),
    onShard: textOn(ONE_SHARD),
    read: (values) => ({ position: Number(values[0]), row: read(values) }),
    types,
    batchedBy: batchedBy === undefined ? undefined : names.indexOf(batchedBy),
  };
}

function rowReader<Row>(columns: Columns<Row>, first = 0): Statement<Row>['read'] {
  const names = Object.keys(columns);
  const reads = Object.values<Read<unknown>>(columns);
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < names.length; at += 1) {
      const value = values[first + at] as string | null;
      row[names[at] as string] = value === null ? null : reads[at]?.(value);
    }
    return row as Row;
  };
}

/** What runs statements: the pool, or one transaction. */
export interface Executor {
  query<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /** In the pool, with others that come at the same time. */
  batch<Row>(statement: BatchedStatement<Row>, values: readonly Parameter[]): Promise<Row | undefined>;
  /**
   * Runs what may find that others have locked what it writes to, and throws a RowLockedError then: it is run again until
   * they are done, and waits for that without a connection, which others need (ADR 13). A transaction is begun again.
   * What names the same row is run one after the other.
   */
  retryWhileLocked<T>(row: string | undefined, work: (executor: Executor) => Promise<T>): Promise<T>;
}
