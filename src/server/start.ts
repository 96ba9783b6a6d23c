import { CAPABILITIES } from '../capabilities.js';
import { type Close, closeAll } from '../process/close-all.js';
import { withoutSpan } from '../process/in-span.js';
import { CLOSING_FAILED, createLogger, standardOutput } from '../process/logging.js';
import { Measurements } from '../process/measurements.js';
import { sayToOperator } from '../process/say-to-operator.js';
import type { Observer } from './capability.js';
import { openDatabase } from './open-database.js';
import type { Program } from './program.js';
import { readEnvironment } from './read-environment.js';
import { endStart, interruptOnSignal } from './stop-on-signal.js';

/**
 * Opens what every long-running process needs, then runs the program. If anything fails, closes everything, logs errors of closing,
 * and throws the first error. Call `endOnSignal` before this file is imported. A signal during the start ends the process with
 * status 0.
 *
 * @param load imports the program. Called after the observers have started, so that they can instrument what it loads
 * @throws StartError if the operator can mend the cause
 */
export async function start(
  packageRoot: string,
  load: () => Promise<(program: Program) => Promise<void>>,
): Promise<void> {
  const environment = await readEnvironment(process.env, sayToOperator);
  // Only the embedded database must be stopped. PostgreSQL notices by itself that a process has ended.
  const isEmbedded = environment.databaseUrl === undefined;
  const interruption = isEmbedded ? interruptOnSignal() : new AbortController().signal;
  const measurements = new Measurements();
  const observers: Observer[] = [];
  const closing: Close[] = [];
  const logger = createLogger(
    environment,
    await standardOutput(environment),
    () => Object.assign({}, ...observers.map(({ logFields }) => logFields?.())) as object,
  );
  endOnFault(logger);
  try {
    for (const { startObserver } of CAPABILITIES) {
      const observer = await startObserver?.({
        environment,
        packageRoot,
        measurements,
        logger,
        variables: process.env,
      });
      if (observer === undefined) continue;
      observers.push(observer);
      closing.push(observer.close);
    }
    const run = await load();
    const database = await openDatabase(environment, sayToOperator);
    closing.unshift(() => database.release());
    interruption.throwIfAborted();
    const inSpan = observers.find((observer) => observer.inSpan)?.inSpan ?? withoutSpan;
    const startFields = Object.assign({}, ...observers.map((observer) => observer.startFields)) as object;
    const program = {
      environment,
      packageRoot,
      logger,
      database,
      measurements,
      inSpan,
      startFields,
      closing,
    };
    await run({ ...program, interruption });
  } catch (error) {
    for (const second of await closeAll(closing)) logger.error({ err: second }, CLOSING_FAILED);
    // The signal may have caused the error, because Ctrl-C also ends the programs that create the embedded database.
    if (interruption.aborted) endStart();
    throw error;
  }
}

/** Logs an uncaught error or an unhandled rejection, and ends the process, because its state may be inconsistent. */
function endOnFault(logger: Program['logger']): void {
  process.once('uncaughtException', (error, origin) => {
    logger.fatal(
      { err: error, origin },
      'The process ends because of an uncaught error. If this began with a new version, go back to the previous version.',
    );
    process.exit(1);
  });
}
