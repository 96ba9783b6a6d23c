import type { ClientConfig } from 'pg';

/** How to reach the database: a URL, or a host (the socket directory of the embedded one) and the rest. */
export type Connection = Pick<
  ClientConfig,
  'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'
>;

export interface Access {
  readonly connection: Connection;
  /** The same for other programs, with the password, if any. */
  readonly url: string;
  /** The variable that sets the address, for messages. */
  readonly configuredBy: string;
}

export interface OpenDatabase extends Access {
  /** To the server itself, with no pooler between: for listening, migrations and the command line. */
  readonly direct: Access;
  /** Ends the use of the embedded database, which stops with its last user. */
  release(): Promise<void>;
}

/**
 * A request waits at most this long, in milliseconds, for a connection, and then for a response. Both together stay well below
 * the 5 seconds after which a client is told that the database cannot be reached, even if timers are late.
 */
export const CONNECTION_TIMEOUT = 2_000;
export const RESPONSE_TIMEOUT = 2_000;
