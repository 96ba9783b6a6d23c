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
 * PostgreSQL's routine that fails if a migration has changed the result of a prepared statement. The statement works
 * on a new connection.
 */
const OUTDATED_PLAN = 'RevalidateCachedQuery';
/** The message of the same error on another server. Our server passes on only the message, not the routine. */
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

interface DatabaseError extends Error {
  code?: string;
  syscall?: string;
  /** The function in PostgreSQL's source that raised the error. */
  routine?: string;
  /** The name of the constraint. In a distributed database, the name may end with a number. */
  constraint?: string;
}

/** No connection could be opened, for any reason. This includes a wrong password and an unknown database. */
export class ConnectionError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Our server did not reach the server that would have executed the statement. Nothing was written, and our connection is intact. */
export class UnreachedServerError extends ConnectionError {
  constructor(
    cause: Error,
    /** Whether another server may execute the next attempt. */
    readonly isWorthAnotherAttempt: boolean,
  ) {
    super(cause);
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

/** Whether our connection to the server is lost or could not be opened, or that of our server to another. */
export function isConnectionLost(error: unknown): boolean {
  if (!isError(error)) return false;
  if (error instanceof ConnectionError) return true;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isConnectionLost);
  const { code, syscall } = error as DatabaseError;
  // The Unix socket is missing, or the process may not open it. For other system calls these codes indicate a bug.
  if (code === 'ENOENT' || code === 'EACCES') return syscall === 'connect';
  return (code !== undefined && LOST_CODES.test(code)) || LOST_MESSAGES.test(error.message);
}

/** Whether our connection must be closed, because it may be unusable. */
export function isConnectionBroken(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !(error instanceof UnreachedServerError);
}

/** Whether a statement was sent and the server did not respond within the timeout. */
export function isResponseTimeout(error: unknown): boolean {
  return isError(error) && error.message === 'Query read timeout';
}

/** Whether the role of the connection lacks a privilege. */
export function isForbidden(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '42501';
}

/** Whether the server is read-only, because it is a replica. */
export function isReadOnly(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '25006';
}

/**
 * SQLSTATEs of statements that PostgreSQL rolled back, possibly because of a single row: invalid data, violated constraints,
 * something unsupported, a cancelled statement, limits on size and memory.
 */
const ROW_ERROR_CODES = /^(2[23]...|0A000|57014|54...|53200|53400)$/;

/** Whether the statement was rolled back because of an error that a single row may have caused. */
export function mayBeRowError(error: unknown): boolean {
  return isError(error) && ROW_ERROR_CODES.test((error as DatabaseError).code ?? '');
}

/** Whether the statement was cancelled. */
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

/** Returns the name of the check that rejected the write. Undefined: no check did. */
export function violatedConstraint(error: unknown): string | undefined {
  return isError(error) && (error as DatabaseError).code === '23514'
    ? (error as DatabaseError).constraint
    : undefined;
}

/** Whether a unique constraint rejected the write. */
export function isUniqueViolation(error: unknown): boolean {
  return isError(error) && (error as DatabaseError).code === '23505';
}
