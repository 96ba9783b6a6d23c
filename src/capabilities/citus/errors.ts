import {
  ConnectionError,
  isCancelled,
  isResponseTimeout,
  UnreachedServerError,
} from '../../database/database-errors.js';
import { isError } from '../../process/is-error.js';

/** Messages of Citus and libpq about a lost worker. Some of these errors have the code of an internal error (XX000). */
const LOST =
  /^(connection to the remote node .* failed|connection establishment for node .* failed|could not establish any connections to the node|failure on connection marked as essential|could not commit transaction for shard|failed to prepare transaction|server closed the connection unexpectedly|SSL SYSCALL error|SSL connection has been closed unexpectedly|could not (send data to|receive data from) server|no connection to the server)/;

/** Messages of Citus and libpq if they could not connect to a worker, so that the worker received nothing. */
const UNREACHED =
  /^(connection to the remote node \S+ failed with the following error: (connection to server .* failed: |could not translate host name |timeout expired|FATAL: +the database system is |[^:\n]+\n\tIs the server running )|could not establish any connections to the node)/;

/** Citus's message if the coordinator was killed while it waited for a worker. The error has the code of an internal error (XX000). */
const COORDINATOR_KILLED = 'postmaster was shut down, exiting';

/** Whether Citus could not reach or lost the worker, or the statement got no response within the timeout. */
export const isWorkerLost = (error: unknown) =>
  isError(error) && (LOST.test(error.message) || isResponseTimeout(error));

export const isUnreached = (error: unknown) => isError(error) && UNREACHED.test(error.message);

/** Whether a statement was executed on the former worker of a shard, because our map of the shards is outdated. */
export const isShardMoved = (error: unknown) =>
  isError(error) && error.message === 'the shard is not on this worker';

export function toDatabaseError(error: unknown, isWorthAnotherAttempt = false): unknown {
  if (!isError(error) || error instanceof ConnectionError) return error;
  if (error.message === COORDINATOR_KILLED) return new ConnectionError(error);
  if (!LOST.test(error.message)) return error;
  if (!isUnreached(error)) return new ConnectionError(error);
  return new UnreachedServerError(error, isWorthAnotherAttempt);
}

/** The coordinator confirms a cancellation, but the worker may have committed. SQLSTATE 40003 says that nobody knows. */
export const withUnknownOutcome = (error: unknown) =>
  isCancelled(error) ? Object.assign(error as Error, { code: '40003' }) : error;
