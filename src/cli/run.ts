import { constants } from 'node:os';
import { sayToOperator } from '../process/say-to-operator.js';
import { CommandError, Interrupted } from './command-error.js';
import { OutputError } from './output.js';
import { createProgram } from './program.js';

/** Runs one command; returns the exit status. */
export async function run(argv: readonly string[], packageRoot: string): Promise<number> {
  // Failed writes are noticed where they are made; without a listener they would end the process with a stack.
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

/** What the operator can do something about, in a sentence; a defect of the program with its stack. */
async function explain(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof CommandError || error instanceof OutputError) return error.message;
  const { StartError } = await import('../config/environment.js');
  const { DefinitionError } = await import('../forms/definitions/definition-error.js');
  const { ExportError } = await import('../submissions/export/export-writer.js');
  if ([StartError, DefinitionError, ExportError].some((known) => error instanceof known))
    return error.message;
  const { isConnectionLost, isDatabaseUnavailable, isForbidden, isReadOnly } =
    await import('../database/database-errors.js');
  if (isReadOnly(error))
    return `The database only reads (${error.message}). Run this on the primary instead.`;
  if (isConnectionLost(error)) return `The database was lost in the middle (${error.message}).`;
  if (isDatabaseUnavailable(error)) {
    return `PostgreSQL ended a statement (${error.message}) and undid its transaction. Run the command again.`;
  }
  const { QueryFailedError } = await import('typeorm');
  if (isForbidden(error))
    return `The database refuses: ${error.message}. Use a role that may do it ("Roles" in docs/operations.md).`;
  if (error instanceof QueryFailedError) return `The database refuses: ${error.message}.`;
  return error.stack ?? error.message;
}
