import { isError } from '../process/is-error.js';

/** SQLSTATE and Node.js codes of a lost connection or a stopping server (PostgreSQL, appendix A). */
const LOST_CODES =
  /^(08...|57P0[1-5]|25P03|ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** SQLSTATEs of statements that were rolled back on an intact connection: overload, deadlock, lock, cancellation, read-only. */
const UNDONE_CODES = /^(53...|57014|25006|40...|55P03)$/;

/** Messages of pg's errors that have no code. */
const LOST_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after|timeout expired)/;

/**
 * Messages of Citus and libpq about a lost worker. The code is not enough, because some of these errors have the code
 * of an internal error (XX000).
 */
const LOST_WORKER_MESSAGES =
  /^(connection to the remote node .* failed|connection establishment for node .* failed|could not establish any connections to the node|failure on connection marked as essential|could not commit transaction for shard|failed to prepare transaction|server closed the connection unexpectedly|SSL SYSCALL error|SSL connection has been closed unexpectedly|could not (send data to|receive data from) server|no connection to the server)/;

/** Messages of Citus and libpq if they could not connect to a worker, so that the worker received nothing. */
const UNREACHED_WORKER_MESSAGES =
  /^(connection to the remote node \S+ failed with the following error: (connection to server .* failed: |could not translate host name |timeout expired|FATAL: +the database system is |[^:\n]+\n\tIs the server running )|could not establish any connections to the node)/;

/**
 * PostgreSQL's routine that fails if a migration has changed the result of a prepared statement. The statement works
 * on a new connection.
 */
const OUTDATED_PLAN = 'RevalidateCachedQuery';
/** The message of the same error on a worker. Citus passes on the message but not the routine. */
const OUTDATED_PLAN_MESSAGE = 'cached plan must not change result type';

/** The cause of an overload: connections, a locked row, memory for bodies, or look-ups of tokens. */
export type Bottleneck = 'database' | 'row' | 'body' | 'token';

/** The request waited too long. */
export class OverloadedError extends Error {
  constructor(readonly bottleneck: Bottleneck = 'database') {
    super(`waited too long (${bottleneck})`);
  }
}

/** Another transaction has locked a row that the statement would write to. Nothing was written. */
export class RowLockedError extends Error {}

/** The worker for a new submission is unreachable. Nothing was written, and another worker may store the submission. */
export class WorkerUnreachedError extends Error {}

interface DatabaseError extends Error {
  code?: string;
  syscall?: string;
  /** The function in PostgreSQL's source that raised the error. */
  routine?: string;
  /** The name of the constraint. On a distributed table the name ends with the number of the shard. */
  constraint?: string;
}

/** No connection could be opened, for any reason. This includes a wrong password and an unknown database. */
export class ConnectionError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Whether the database is unreachable or failed temporarily, so that a later retry may succeed (E2). */
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

/** Whether our connection to the server, or the connection of Citus to a worker, is lost or could not be opened. */
export function isConnectionLost(error: unknown): boolean {
  if (!isError(error)) return false;
  if (error instanceof ConnectionError) return true;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isConnectionLost);
  const { code, syscall } = error as DatabaseError;
  // The Unix socket is missing, or the process may not open it. For other system calls these codes indicate a bug.
  if (code === 'ENOENT' || code === 'EACCES') return syscall === 'connect';
  return (
    (code !== undefined && LOST_CODES.test(code)) ||
    LOST_MESSAGES.test(error.message) ||
    LOST_WORKER_MESSAGES.test(error.message)
  );
}

/**
 * Whether our connection must be closed, because it may be unusable. Our connection to the coordinator is intact if
 * the coordinator reports an unreachable worker.
 */
export function isConnectionBroken(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !isWorkerUnreached(error);
}

/** Whether a statement was sent and the server did not respond within the timeout. */
export function isResponseTimeout(error: unknown): boolean {
  return isError(error) && error.message === 'Query read timeout';
}

/** Whether the role of the connection lacks a privilege. */
export function isForbidden(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '42501';
}

/**
 * Whether Citus could not reach the worker of a statement, or lost that worker, or the statement got no response
 * within the timeout.
 */
export function isWorkerLost(error: unknown): boolean {
  return isError(error) && (LOST_WORKER_MESSAGES.test(error.message) || isResponseTimeout(error));
}

/** Whether Citus could not connect to the worker. False if the connection was lost later, when the worker may have committed. */
export function isWorkerUnreached(error: unknown): boolean {
  return isError(error) && UNREACHED_WORKER_MESSAGES.test(error.message);
}

/** Whether a batch was sent to the former worker of a shard, because our map of the shards is outdated. */
export function isShardMoved(error: unknown): boolean {
  return isError(error) && error.message === 'the submissions do not lie at one worker';
}

/** Whether the server is read-only, because it is a replica. */
export function isReadOnly(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '25006';
}

/**
 * SQLSTATEs of statements that PostgreSQL rolled back, possibly because of a single row: invalid data, violated constraints, a shard
 * that Citus has moved, a cancelled statement, limits on size and memory.
 */
const ROW_ERROR_CODES = /^(2[23]...|0A000|57014|54...|53200|53400)$/;

/** Whether the statement was rolled back because of an error that a single row may have caused. */
export function mayBeRowError(error: unknown): boolean {
  return isError(error) && ROW_ERROR_CODES.test((error as DatabaseError).code ?? '');
}

/** Whether the statement was cancelled. With Citus, the worker may have committed before it received the cancellation. */
export function isCancelled(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '57014';
}

/** Whether PostgreSQL rolled the statement back to resolve a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '40P01';
}

/** Whether the statement did not get a lock within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '55P03';
}

/** Whether a foreign key rejected the write, because a referenced row was deleted or changed. */
export function isForeignKeyViolation(error: unknown): error is DatabaseError {
  return isError(error) && (error as DatabaseError).code === '23503';
}

/** Whether a unique constraint rejected the write. */
export function isUniqueViolation(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '23505';
}
