/** How the value of a column is read from PostgreSQL's text for it. A null is not read: it stays null. */
export type Read<T> = (value: string) => T;

export const text: Read<string> = (value) => value;
export const integer: Read<number> = Number;
export const boolean: Read<boolean> = (value) => value === 't';
export const json = <T>(): Read<T> => JSON.parse as Read<T>;
export const bytes: Read<Buffer> = (value) => Buffer.from(value.slice('\\x'.length), 'hex');
export const nullable = <T>(read: Read<T>): Read<T | null> => read;

/** The columns of a result, in order. Names and types are known here, so PostgreSQL is never asked for them. */
export type Columns<Row> = { readonly [Name in keyof Row]-?: Read<Row[Name]> };

/** SQL that each connection prepares once, under its name. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  readonly read: (values: readonly (string | null)[]) => Row;
}

export function statement<Row>(name: string, sql: string, columns: Columns<Row>): Statement<Row> {
  return { name, text: commented(name, sql), read: rowReader(columns) };
}

/** Names the statement in `pg_stat_statements`, in `pg_stat_activity` and in PostgreSQL's log. */
const commented = (name: string, sql: string) => `/* ${name} */ ${sql}`;

/** A parameter of a {@link BatchedStatement}. Arrays are given as PostgreSQL's text for them. */
export type Parameter = string | number | boolean | null;

/** A row, and the request of the batch that it is for, from 1. */
export interface BatchedRow<Row> {
  readonly position: number;
  readonly row: Row;
}

/** A statement that can be executed for several requests at once. It returns one row or none for each request. */
export interface BatchedStatement<Row> extends Statement<BatchedRow<Row>> {
  /** PostgreSQL types of the parameters. */
  readonly types: readonly string[];
  /** The parameter that must be the same in a whole batch; undefined: none. */
  readonly batchedBy: number | undefined;
}

interface Batching<Name extends string> {
  readonly batchedBy?: Name;
  /** The rows that the statement locks: how they are joined to `input`, and how they are locked. */
  readonly locks?: { readonly join: string; readonly lock: string };
}

/**
 * One text for one request and for many. `sql` receives an item of a FROM clause that is named `input`. It has a row for each
 * request: the parameters, and a `position`, which must be the first column of the result. The statement never waits for a
 * row: it returns nothing for requests whose `locks` others hold at the moment ({@link Executor.retryWhileLocked}).
 */
export function batchedStatement<Row, Name extends string>(
  name: string,
  parameters: Readonly<Record<Name, string>>,
  sql: (input: string) => string,
  columns: Columns<Row>,
  { batchedBy, locks }: Batching<NoInfer<Name>> = {},
): BatchedStatement<Row> {
  const names = Object.keys(parameters);
  const types = Object.values<string>(parameters);
  const arrays = types.map((type, at) => `$${at + 1}::${type}[]`);
  // The limit changes only the plan: PostgreSQL then expects one row, and looks it up by its key, even if it made the plan
  // while the tables were empty.
  const all = `(select * from unnest(${arrays.join()}) with ordinality as input (${names.join()}, position)
      limit cardinality(${arrays[0]})) as input`;
  const input =
    locks === undefined
      ? all
      : `(select input.* from ${all} ${locks.join} ${locks.lock} skip locked) as input`;
  const read = rowReader(columns, 1);
  return {
    name,
    text: commented(name, sql(input)),
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

/** Executes a statement on one connection. */
export type Execute = <Row>(statement: Statement<Row>, values: readonly unknown[]) => Promise<Row[]>;

/** Runs statements, on the pool or in one transaction. */
export interface Executor {
  query<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /** On the pool, in one batch with other requests that come at the same time. */
  batch<Row>(statement: BatchedStatement<Row>, values: readonly Parameter[]): Promise<Row | undefined>;
  /**
   * Runs `work`, and runs it again each time it throws a RowLockedError, because somebody else has locked what it writes to.
   * Between two attempts it holds no connection, which others need (ADR 7). A transaction begins again as a whole. Work that
   * names the same `row` is serialized.
   */
  retryWhileLocked<T>(row: string | undefined, work: (executor: Executor) => Promise<T>): Promise<T>;
}
