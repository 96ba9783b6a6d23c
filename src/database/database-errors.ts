import { isError } from '../process/is-error.js';

/** SQLSTATE and Node.js codes that mean: the connection is lost, or the server is stopping (PostgreSQL, appendix A). */
const LOST_CODES =
  /^(08...|57P0[1-5]|25P03|ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** The connection lasts, and the statement was undone: overloaded, deadlocked, locked, cancelled, or read-only. */
const UNDONE_CODES = /^(53...|57014|25006|40...|55P03)$/;

/** What pg says without a code. */
const LOST_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after|timeout expired)/;

/** What Citus says of a worker that it loses, and libpq in it, with the code of an internal error (XX000) or of none. */
const LOST_WORKER_MESSAGES =
  /^(connection to the remote node .* failed|connection establishment for node .* failed|could not establish any connections to the node|failure on connection marked as essential|could not commit transaction for shard|failed to prepare transaction|server closed the connection unexpectedly|SSL SYSCALL error|SSL connection has been closed unexpectedly|could not (send data to|receive data from) server|no connection to the server)/;

/** What Citus and libpq say if no connection to a worker was established, so that nothing was sent to it. */
const UNREACHED_WORKER_MESSAGES =
  /^(connection to the remote node \S+ failed with the following error: (connection to server .* failed: |could not translate host name |timeout expired|FATAL: +the database system is |[^:\n]+\n\tIs the server running )|could not establish any connections to the node)/;

/** Of PostgreSQL: a migration has changed what a statement gives since its connection prepared it. Another prepares it anew. */
const OUTDATED_PLAN = 'RevalidateCachedQuery';
/** The same of a worker, of which Citus does not say the routine. */
const OUTDATED_PLAN_MESSAGE = 'cached plan must not change result type';

/** More waits for the database than it gets done in time. */
export class OverloadedError extends Error {}

/** Others have locked what was to be written to. Nothing was written. */
export class RowLockedError extends Error {}

/** The worker was out of reach for a new submission. Nothing was written, and another worker may take it. */
export class ElsewhereError extends Error {}

interface DatabaseError extends Error {
  code?: string;
  syscall?: string;
  /** Of PostgreSQL's source. */
  routine?: string;
  /** Of a distributed table it ends with the number of the shard. */
  constraint?: string;
}

/** The server gave no connection, whatever it says of it: a password or a database that it does not know included. */
export class ConnectionError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Whether the database could not be reached or could not answer, so that asking again later may help (E2). */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isError(error)) return false;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isDatabaseUnavailable);
  const { code, routine } = error as DatabaseError;
  return (
    isConnectionLost(error) ||
    (code !== undefined && UNDONE_CODES.test(code)) ||
    routine === OUTDATED_PLAN ||
    error.message === OUTDATED_PLAN_MESSAGE
  );
}

/** Whether the connection to the server, or that of Citus to a worker, is lost or cannot be had. */
export function isConnectionLost(error: unknown): boolean {
  if (!isError(error)) return false;
  if (error instanceof ConnectionError) return true;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isConnectionLost);
  const { code, syscall } = error as DatabaseError;
  // A Unix socket that is not there; of anything else these would be a defect.
  if (code === 'ENOENT' || code === 'EACCES') return syscall === 'connect';
  return (
    (code !== undefined && LOST_CODES.test(code)) ||
    LOST_MESSAGES.test(error.message) ||
    LOST_WORKER_MESSAGES.test(error.message)
  );
}

/** Whether the connection may be unusable. A coordinator that tells of an unreached worker has a good connection to us. */
export function isConnectionBroken(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !isWorkerUnreached(error);
}

/** Whether the server had the statement, and time to answer it, and did not. */
export function isAnswerTimeout(error: unknown): boolean {
  return isError(error) && error.message === 'Query read timeout';
}

/** Whether the role of the connection lacks a privilege. */
export function isForbidden(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '42501';
}

/** Whether Citus did not reach the worker of a statement, or lost it, or had no answer in time. */
export function isWorkerLost(error: unknown): boolean {
  return isError(error) && (LOST_WORKER_MESSAGES.test(error.message) || isAnswerTimeout(error));
}

/** Whether Citus did not reach the worker. If the connection is lost later, the worker may have committed all the same. */
export function isWorkerUnreached(error: unknown): boolean {
  return isError(error) && UNREACHED_WORKER_MESSAGES.test(error.message);
}

/** Whether a shared statement was sent to the former worker of a shard. Our map of the shards is outdated then. */
export function isShardMoved(error: unknown): boolean {
  return isError(error) && error.message === 'the submissions do not lie at one worker';
}

/** Whether the server only reads: it is a replica, or has become one. */
export function isReadOnly(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '25006';
}

/**
 * SQLSTATEs of statements that PostgreSQL rolled back for a reason that may lie in one of their rows: invalid data, violated
 * constraints, a shard that Citus has moved, a statement that was cancelled, limits on size and memory.
 */
const ONE_ROWS_FAULT = /^(2[23]...|0A000|57014|54...|53200|53400)$/;

/** Whether nothing of a statement was done, and it may succeed for some of its rows. */
export function mayBeOneRowsFault(error: unknown): boolean {
  return isError(error) && ONE_ROWS_FAULT.test((error as DatabaseError).code ?? '');
}

/** Whether the statement was cancelled. Its worker of Citus may have committed before it heard of that. */
export function isCancelled(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '57014';
}

/** Whether PostgreSQL ended the statement because others that change the same rows were waiting for it. */
export function isDeadlock(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '40P01';
}

/** Whether the statement did not get a lock within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '55P03';
}

/** Whether a foreign key refused the write: something it refers to has gone or changed. */
export function isForeignKeyViolation(error: unknown): error is DatabaseError {
  return isError(error) && (error as DatabaseError).code === '23503';
}
