/** Parses PostgreSQL's text of a column's value. Not called for null, which stays null. */
export type ColumnReader<T> = (value: string) => T;

export const text: ColumnReader<string> = (value) => value;
export const integer: ColumnReader<number> = Number;
export const boolean: ColumnReader<boolean> = (value) => value === 't';
export const json = <T>(): ColumnReader<T> => JSON.parse as ColumnReader<T>;
export const bytes: ColumnReader<Buffer> = (value) => Buffer.from(value.slice('\\x'.length), 'hex');
export const nullable = <T>(read: ColumnReader<T>): ColumnReader<T | null> => read;

/** The columns of a result, in order. The service therefore need not ask PostgreSQL for their names and types. */
export type Columns<Row> = { readonly [Name in keyof Row]-?: ColumnReader<Row[Name]> };

/** SQL that each connection prepares once, under `name`. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  readonly read: (values: readonly (string | null)[]) => Row;
}

export function statement<Row>(name: string, sql: string, columns: Columns<Row>): Statement<Row> {
  return { name, text: commentedSql(name, sql), read: rowReader(columns) };
}

/** Adds the name as a comment, which `pg_stat_statements`, `pg_stat_activity` and PostgreSQL's log show. */
const commentedSql = (name: string, sql: string) => `/* ${name} */ ${sql}`;

/** A parameter of a {@link BatchedStatement}. Pass an array as PostgreSQL's text for it (`arrayOf`). */
export type Parameter = string | number | boolean | null;

/** A row, and the position (from 1) of its request in the batch. */
export interface BatchedRow<Row> {
  readonly position: number;
  readonly row: Row;
}

/** A statement that can be executed for several requests at once. It returns at most one row for each request. */
export interface BatchedStatement<Row> extends Statement<BatchedRow<Row>> {
  /** PostgreSQL types of the parameters. */
  readonly types: readonly string[];
  /**
   * The index of the parameter that must be equal in all requests of a batch. Undefined if there is no such parameter.
   */
  readonly batchedBy: number | undefined;
}

interface BatchOptions<Name extends string> {
  readonly batchedBy?: Name;
  /** The rows that the statement locks: the join with `input`, and the locking clause. */
  readonly locks?: { readonly join: string; readonly lock: string };
}

/**
 * Creates a statement whose text is the same for one request and for many. `sql` receives a FROM item named `input`, which has a row
 * for each request: the parameters and a `position`, which must be the first column of the result. The statement never waits for a
 * row lock. It returns no row for a request if another transaction has locked its rows ({@link Executor.retryWhileLocked}).
 */
export function batchedStatement<Row, Name extends string>(
  name: string,
  parameters: Readonly<Record<Name, string>>,
  sql: (input: string) => string,
  columns: Columns<Row>,
  { batchedBy, locks }: BatchOptions<NoInfer<Name>> = {},
): BatchedStatement<Row> {
  const names = Object.keys(parameters);
  const types = Object.values<string>(parameters);
  const arrays = types.map((type, at) => `$${at + 1}::${type}[]`);
  // The limit affects only the plan: PostgreSQL then expects one row and looks it up by its key, even if it planned the statement
  // when the tables were empty.
  const all = `(select * from unnest(${arrays.join()}) with ordinality as input (${names.join()}, position)
      limit cardinality(${arrays[0]})) as input`;
  const input =
    locks === undefined
      ? all
      : `(select input.* from ${all} ${locks.join} ${locks.lock} skip locked) as input`;
  const read = rowReader(columns, 1);
  return {
    name,
    text: commentedSql(name, sql(input)),
    read: (values) => ({ position: Number(values[0]), row: read(values) }),
    types,
    batchedBy: batchedBy === undefined ? undefined : names.indexOf(batchedBy),
  };
}

function rowReader<Row>(columns: Columns<Row>, first = 0): Statement<Row>['read'] {
  const names = Object.keys(columns);
  const reads = Object.values<ColumnReader<unknown>>(columns);
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
  /** Whether it is a transaction, whose connection must not wait for another connection. */
  readonly holdsConnection: boolean;
  query<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /** Executes the statement in one batch with simultaneous requests, or alone in a transaction. */
  batch<Row>(statement: BatchedStatement<Row>, values: readonly Parameter[]): Promise<Row | undefined>;
  /**
   * Runs `work`, and retries it each time it throws a RowLockedError, because another transaction has locked a row.
   * Between the attempts it uses no connection, because other requests need connections (ADR 7). A limited number of
   * transactions may wait with their connection. All other transactions are retried as a whole. Work on the same `row`
   * is serialized.
   */
  retryWhileLocked<T>(row: string | undefined, work: (executor: Executor) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction. Commits when `work` ends, and rolls back when it throws. If another transaction has locked a row,
   * `work` is retried in a new transaction, as in {@link retryWhileLocked}. In a transaction, `work` is a part of it. In retried work,
   * only the whole work is retried.
   *
   * @param row the row that `work` will write to, if the caller knows it
   */
  transaction<T>(work: (executor: Executor) => Promise<T>, row?: string): Promise<T>;
}
