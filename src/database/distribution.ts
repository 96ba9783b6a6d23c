import { v7 as uuidV7 } from 'uuid';
import { StartError } from '../config/start-error.js';
import type { BatchedStatement, Execute, Parameter, Statement } from './statement.js';

/** How statements reach the servers that have the tables of submissions. */
export interface Distribution {
  /** The software that distributes these tables. Undefined if one server has them. */
  readonly name?: string;
  /** If fewer requests of a group are in flight, the next request is executed at once. Otherwise it waits, to share a round trip. */
  readonly fewInFlight: number;
  /** Returns the server that executes the request. All requests of a batch have the same server. */
  serverOf(statement: BatchedStatement<unknown>, values: readonly Parameter[]): number | undefined;
  /** Returns a UUID for a new submission. */
  newUuid(): string;
  /** Returns the text with which callers without a `Database` execute a statement. */
  textOf(statement: Text): string;
  execute<Row>(statement: Statement<Row>, values: readonly unknown[], execute: Execute): Promise<Row[]>;
  /** Converts errors about other servers into those of `database-errors.ts`. */
  toDatabaseError(error: unknown): unknown;
  /** Returns a sentence about the servers. */
  describe(): Promise<string | undefined>;
  close(): void;
}

type Text = Pick<Statement<unknown>, 'name' | 'text'>;

export const ONE_SERVER: Distribution = {
  fewInFlight: 2,
  serverOf: () => undefined,
  newUuid: uuidV7,
  textOf: ({ text }) => text,
  execute: (statement, values, execute) => execute(statement, values),
  toDatabaseError: (error) => error,
  describe: () => Promise.resolve(undefined),
  close: () => undefined,
};

/** A data source, a manager, or another connection. */
export interface Queryable {
  query<Rows>(sql: string, values?: unknown[]): Promise<Rows>;
}

/** Returns undefined if the database is not distributed in this way. */
export type FindDistribution = (database: Queryable) => Promise<Distribution | undefined>;

let ways: readonly FindDistribution[] = [];

/** Sets the ways in which a database may be distributed. Called before the first data source is created. */
export function mayBeDistributed(known: readonly FindDistribution[]): void {
  ways = known;
}

export async function findDistribution(database: Queryable): Promise<Distribution> {
  for (const find of ways) {
    const found = await find(database);
    if (found !== undefined) return found;
  }
  return ONE_SERVER;
}

/**
 * For a feature that needs triggers on submissions, or locks on several. `feature` is a plural noun, and `remedy` tells what to do.
 *
 * @throws StartError if the submissions are distributed
 */
export async function requireOneServer(database: Queryable, feature: string, remedy: string): Promise<void> {
  const { name } = await findDistribution(database);
  if (name === undefined) return;
  throw new StartError(`${feature} are not available if submissions are distributed over ${name}. ${remedy}`);
}
