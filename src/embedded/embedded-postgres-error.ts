export const useOwnServer = 'set DATABASE_URL to a PostgreSQL server of your own';

/** Its message is one or two sentences for the operator: what happened and what to do. Printed without a stack. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

// Not by instanceof: under Jest, Node's own errors are made with another Error.
export function errorCode(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

export function errorText(error: unknown): string {
  const { message } = error as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}

/** Turns what a PostgreSQL program printed into the error to show: a full disk by name, anything else in its words. */
export function programFailure(what: string, output: string): EmbeddedPostgresError {
  const full = /No space left on device|Disk quota exceeded/;
  // Shared memory says the same when the container gave it too little, with the disk empty.
  if (output.split('\n').some((line) => full.test(line) && !line.includes('shared memory'))) {
    return new EmbeddedPostgresError(`${what}, because the disk is full. Free some space and start again.`);
  }
  return new EmbeddedPostgresError(`${what}. PostgreSQL said: ${lastComplaints(output) || 'nothing'}`);
}

const complaint = /\b(error|FATAL|PANIC|HINT|DETAIL):/;
const routine = /\bLOG: +(starting|listening|database system)/;

/** The last errors with what led to them, or else the last lines, without their timestamps and on one line. */
export function lastComplaints(output: string, count = 3): string {
  const lines = output.split('\n').map((line) => line.trim().replace(/^\d[\d-]+ [\d:.]+ \S+ \[\d+\] /, ''));
  const said = lines.filter((line) => line !== '');
  const untilLast = said.slice(0, said.findLastIndex((line) => complaint.test(line)) + 1);
  const complaints = untilLast.filter(
    (line) => complaint.test(line) || (/\bLOG:/.test(line) && !routine.test(line)),
  );
  return (complaints.length > 0 ? complaints : said).slice(-count).join(' | ');
}

/** Explains why the data directory, or something in it, could not be made or read. */
export function dataDirectoryFailure(directory: string, error: unknown): EmbeddedPostgresError {
  switch (errorCode(error) ?? '') {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new EmbeddedPostgresError(
        `The data directory ${directory} can't be used by this user (${errorText(error)}). ` +
          `Start as the user who made it, choose another one, or ${useOwnServer}.`,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new EmbeddedPostgresError(`The disk of ${directory} is full. Free some space and start again.`);
    case 'EEXIST':
    case 'ENOTDIR':
      return new EmbeddedPostgresError(
        `${directory} is not a directory. Move it away, or choose another one.`,
      );
    default:
      return new EmbeddedPostgresError(`The data directory ${directory} can't be used: ${errorText(error)}`);
  }
}
