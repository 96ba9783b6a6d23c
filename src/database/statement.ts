import type { QueryResultRow } from 'pg';

/** SQL that each connection prepares once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Whether it locks the row that its first value names. */
  readonly locksRow?: boolean;
}

export function statement(name: string, text: string): Statement {
  return { name, text };
}

export function lockingStatement(name: string, text: string): Statement {
  return { name, text, locksRow: true };
}

/** What runs statements: the pool, each on its own, or one transaction. */
export interface Executor {
  query<Row extends QueryResultRow>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}
