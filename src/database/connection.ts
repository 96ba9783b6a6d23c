import type { ClientConfig } from 'pg';

/**
 * The address of the database: a URL, or separate properties. For the embedded database, `host` is its socket
 * directory.
 */
export type Connection = Pick<
  ClientConfig,
  'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'
>;

export interface Access {
  readonly connection: Connection;
  /** The address for other programs, including the password if there is one. */
  readonly url: string;
  /** The name of the environment variable that sets the address, for messages. */
  readonly configuredBy: string;
}

export interface OpenDatabase extends Access {
  /** Access without a pooler, for the change listener, migrations and the command line. */
  readonly direct: Access;
  /** Stops the embedded database, unless another process uses it. */
  readonly release: () => Promise<void>;
}

/** Milliseconds that a request waits for connections and locks in all. */
export const CONNECTION_TIMEOUT = 2_000;
/**
 * Milliseconds that a request waits for the response to a statement. Both together are well below the 5 seconds within which a client
 * gets 503 if the database is unreachable, even if timers are late.
 */
export const RESPONSE_TIMEOUT = 2_000;

/** A request, or any other work that somebody waits for. */
export interface Arrival {
  /** The time of the arrival, on the clock of `performance.now()`. */
  readonly arrivedAt: number;
}

/** The time until which a request may wait for connections and locks, in all. */
export const deadlineOf = ({ arrivedAt }: Arrival): number => arrivedAt + CONNECTION_TIMEOUT;
