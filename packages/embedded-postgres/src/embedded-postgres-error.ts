export const useOwnServer = 'set DATABASE_URL to a PostgreSQL server of your own';

/** The message tells the operator in one or two sentences what happened and what to do. It is printed without a stack. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

// Does not use instanceof, because Node's own errors belong to another realm under Jest.
export function errorCode(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

export function errorText(error: unknown): string {
  const { message } = error as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}

/**
 * Creates an error from the output of a PostgreSQL program. The error's message explains a full disk, and quotes any
 * other output.
 */
export function programFailure(what: string, output: string): EmbeddedPostgresError {
  const full = /No space left on device|Disk quota exceeded/;
  // PostgreSQL prints the same text if the container has too little shared memory.
  if (output.split('\n').some((line) => full.test(line) && !line.includes('shared memory'))) {
    return new EmbeddedPostgresError(`${what}, because the disk is full. Free some space and start again.`);
  }
  return new EmbeddedPostgresError(`${what}. PostgreSQL said: ${lastErrors(output) || 'nothing'}`);
}

const errorLine = /\b(error|FATAL|PANIC|HINT|DETAIL):/;
const routineLine = /\bLOG: +(starting|listening|database system)/;

/**
 * Returns the last `count` lines that are errors or log lines before an error, joined to one line and without timestamps. If there
 * are no errors, it returns the last `count` lines.
 */
export function lastErrors(output: string, count = 3): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim().replace(/^\d[\d-]+ [\d:.]+ \S+ \[\d+\] /, ''))
    .filter((line) => line !== '');
  const untilLastError = lines.slice(0, lines.findLastIndex((line) => errorLine.test(line)) + 1);
  const errors = untilLastError.filter(
    (line) => errorLine.test(line) || (/\bLOG:/.test(line) && !routineLine.test(line)),
  );
  return (errors.length > 0 ? errors : lines).slice(-count).join(' | ');
}

/** Explains why the data directory, or something in it, could not be created or read. */
export function dataDirectoryFailure(directory: string, error: unknown): EmbeddedPostgresError {
  switch (errorCode(error) ?? '') {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new EmbeddedPostgresError(
        `The data directory ${directory} can't be used by this user (${errorText(error)}). ` +
          `Start as the user who created it, choose another directory, or ${useOwnServer}.`,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new EmbeddedPostgresError(`The disk of ${directory} is full. Free some space and start again.`);
    case 'EEXIST':
    case 'ENOTDIR':
      return new EmbeddedPostgresError(
        `${directory} is not a directory. Move it away, or choose another data directory.`,
      );
    default:
      return new EmbeddedPostgresError(`The data directory ${directory} can't be used: ${errorText(error)}`);
  }
}
