import 'reflect-metadata';
import { constants } from 'node:os';
import { sayToOperator } from '../process/say-to-operator.js';
import { CommandError, Interrupted } from './command-error.js';
import { OutputError } from './output.js';
import { createProgram } from './program.js';

export async function run(argv: readonly string[], packageRoot: string): Promise<number> {
  // `write` handles failed writes. Without these listeners, a failed write would also end the process with a stack trace.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  try {
    await createProgram(packageRoot).parseAsync(argv);
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) return 128 + constants.signals[error.signal];
    if (error instanceof OutputError && error.isClosedPipe) return 1;
    sayToOperator(`formtrail: ${await explain(error)}`);
    return 1;
  }
}

/** Returns a sentence for an error that the operator can mend, or the stack of any other error. */
async function explain(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof CommandError || error instanceof OutputError) return error.message;
  const { StartError } = await import('../config/start-error.js');
  if (error instanceof StartError) return error.message;
  const { isConnectionLost, isDatabaseUnavailable, isForbidden, isReadOnly } =
    await import('../database/database-errors.js');
  if (isReadOnly(error))
    return `The database is read-only (${error.message}). Run this on the primary instead.`;
  if (isConnectionLost(error)) return `The connection to the database was lost (${error.message}).`;
  if (isDatabaseUnavailable(error))
    return `PostgreSQL ended a statement (${error.message}) and rolled its transaction back. Run the command again.`;
  const { QueryFailedError } = await import('typeorm');
  if (isForbidden(error))
    return `The database denies this: ${error.message}. Use a role with the privilege ("Roles" in docs/operations/install.md).`;
  if (error instanceof QueryFailedError) return `The database rejects this: ${error.message}.`;
  return error.stack ?? error.message;
}
