import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { closeAll } from '../process/close-all.js';
import type { Environment } from '../config/environment.js';
import type { Lifecycle } from '../health/lifecycle.js';
import type { ConnectionDrain } from '../http/connection-drain.js';

/** Milliseconds in which a second signal may be the first one again: npm passes on what a terminal sends to both. */
const SAME_SIGNAL = 1_000;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

interface Stopping {
  readonly lifecycle: Lifecycle;
  readonly connections: ConnectionDrain;
  /** What is to be closed after the connections, in this order. */
  readonly closing: readonly (() => Promise<void>)[];
  readonly logger: Logger;
}

const STOP_FAILED =
  'The process could not close everything it had opened, and ends with status 1. Acknowledged writes are safe; report "err".';

const end = () => process.exit(0);

/**
 * Ends the process on SIGTERM or SIGINT at once, with status 0: before it listens there is nothing to finish. Without
 * this the first process of a container would not hear of them at all.
 */
export function endOnSignal(): void {
  for (const signal of SIGNALS) process.on(signal, end);
}

/**
 * Ends the process on SIGTERM or SIGINT, with status 0 and within SHUTDOWN_TIMEOUT; on a second signal at once. The
 * first half of that time after SIGTERM the service goes on, while those who balance load take notice that it is not
 * ready. Then nobody is let in, and connections have a quarter for one more request. Ctrl-C (SIGINT) goes without.
 */
export function stopOnSignal(
  { shutdownTimeout }: Pick<Environment, 'shutdownTimeout'>,
  { lifecycle, connections, closing, logger }: Stopping,
): void {
  const stop = async (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      logger.warn(
        'The process ends before all requests have finished, because SHUTDOWN_TIMEOUT is over. Raise it if this happens often.',
      );
      process.exit(0);
    }, shutdownTimeout * 1000).unref();
    lifecycle.isStopping = true;
    const isPatient = signal === 'SIGTERM';
    if (isPatient) await sleep(shutdownTimeout * 500);
    const drain = () => connections.end(isPatient ? shutdownTimeout * 250 : 0);
    const errors = await closeAll([drain, ...closing]);
    for (const error of errors) logger.error(error, STOP_FAILED);
    process.exit(errors.length === 0 ? 0 : 1);
  };

  let toldAt: number | undefined;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (toldAt !== undefined) {
        if (performance.now() - toldAt > SAME_SIGNAL) process.exit(1);
        return;
      }
      toldAt = performance.now();
      stop(signal).catch((error: unknown) => {
        logger.error(error, STOP_FAILED);
        process.exit(1);
      });
    });
    // Last: without any listener for an instant, a signal that is on its way would be lost.
    process.off(signal, end);
  }
}
