/** How the value of a column is read from PostgreSQL's text for it; null is not shown to it and stays null. */
export type Read<T> = (value: string) => T;

export const text: Read<string> = (value) => value;
export const integer: Read<number> = Number;
export const json = <T>(): Read<T> => JSON.parse as Read<T>;
export const bytes: Read<Buffer> = (value) => Buffer.from(value.slice('\\x'.length), 'hex');
export const nullable = <T>(read: Read<T>): Read<T | null> => read;

/** What a statement gives, in the order in which it gives it: names and types are known here, and never asked for. */
export type Columns<Row> = { readonly [Name in keyof Row]-?: Read<Row[Name]> };

/** SQL that each connection prepares once, under its name. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  readonly read: (values: readonly (string | null)[]) => Row;
  /** Whether it locks the row that its first value names. */
  readonly locksRow: boolean;
}

export function statement<Row>(name: string, sql: string, columns: Columns<Row>): Statement<Row> {
  return { name, text: sql, read: rowReader(columns), locksRow: false };
}

export function lockingStatement<Row>(name: string, sql: string, columns: Columns<Row>): Statement<Row> {
  return { ...statement(name, sql, columns), locksRow: true };
}

function rowReader<Row>(columns: Columns<Row>): Statement<Row>['read'] {
  const names = Object.keys(columns);
  const reads = Object.values<Read<unknown>>(columns);
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < names.length; at += 1) {
      const value = values[at] as string | null;
      row[names[at] as string] = value === null ? null : reads[at]?.(value);
    }
    return row as Row;
  };
}

/** What runs statements: the pool, each on its own, or one transaction. */
export interface Executor {
  query<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
}
