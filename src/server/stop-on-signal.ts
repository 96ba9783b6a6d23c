import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Close, closeAll } from '../process/close-all.js';
import { sayToOperator } from '../process/say-to-operator.js';
import type { Environment } from '../config/environment.js';
import type { Lifecycle } from './health/lifecycle.js';
import type { ConnectionDrain } from '../http/wire/connection-drain.js';

/**
 * Milliseconds in which a second signal is ignored. The terminal signals npm and this
 * process, and npm may signal this process again.
 */
const SAME_SIGNAL = 1_000;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

interface Stopping {
  /** Undefined for a process that serves no requests. */
  readonly http?: { readonly lifecycle: Lifecycle; readonly connections: ConnectionDrain };
  /** Functions that close everything except the HTTP server, in this order. */
  readonly closing: readonly Close[];
  readonly logger: Logger;
  /** Aborted by a signal during the start. */
  readonly interruption: AbortSignal;
  /** Printed after a clean stop by Ctrl-C. */
  readonly farewell?: string | undefined;
}

const STOP_FAILED =
  'The process could not stop cleanly, and ends with status 1. No acknowledged write is lost. Report this line with its "err" to the developers.';

type Listener = (signal: NodeJS.Signals) => void;

/** The listener of both signals. */
let listener: Listener = () => undefined;

/**
 * Ends the process at once on SIGTERM or SIGINT, because a process that is starting has nothing to finish. Without a
 * listener, the first process of a container ignores both signals.
 */
export function endOnSignal(): void {
  onFirstSignal(endStart);
}

/**
 * Lets a start finish its present step after SIGTERM or SIGINT. The caller then closes what it has opened, because the embedded database
 * would otherwise outlive the process.
 */
export function interruptOnSignal(): AbortSignal {
  const interruption = new AbortController();
  onFirstSignal(() => {
    interruption.abort();
  });
  return interruption.signal;
}

/** Ends a process that has not started completely, with status 0. */
export function endStart(): void {
  sayToOperator('Stopped before the start was complete.');
  process.exit(0);
}

/**
 * Ends the process on SIGTERM or SIGINT within SHUTDOWN_TIMEOUT. The status is 0 unless closing fails. A second
 * signal ends the process at once, with status 1. After SIGTERM the service serves requests for half of the timeout,
 * so that load balancers notice that it is not ready. Then it accepts no connections, and an open connection has a
 * quarter of the timeout for one more request. Ctrl-C (SIGINT) skips both waits.
 *
 * @throws the reason of `interruption` if a signal has interrupted the start
 */
export function stopOnSignal(
  { shutdownTimeout }: Pick<Environment, 'shutdownTimeout'>,
  { http, closing, logger, interruption, farewell }: Stopping,
): void {
  interruption.throwIfAborted();
  const stop = async (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      logger.warn(
        'The process ends before all requests have finished, because SHUTDOWN_TIMEOUT is over. Raise it if this happens often.',
      );
      process.exit(0);
    }, shutdownTimeout * 1000).unref();
    const drain = async () => {
      if (http === undefined) return;
      http.lifecycle.isStopping = true;
      const isPatient = signal === 'SIGTERM';
      if (isPatient) await sleep(shutdownTimeout * 500);
      await http.connections.end(isPatient ? shutdownTimeout * 250 : 0);
    };
    const errors = await closeAll([drain, ...closing]);
    for (const error of errors) logger.error(error, STOP_FAILED);
    const exit = () => process.exit(errors.length > 0 ? 1 : 0);
    if (errors.length === 0 && signal === 'SIGINT' && farewell !== undefined)
      process.stdout.write(farewell, exit);
    else exit();
  };

  onFirstSignal((signal) => {
    stop(signal).catch((error: unknown) => {
      logger.error(error, STOP_FAILED);
      process.exit(1);
    });
  });
}

/** Replaces the listener of both signals. Another signal after the first ends the process at once, with status 1. */
function onFirstSignal(act: Listener): void {
  const previous = listener;
  let signalledAt: number | undefined;
  listener = (signal) => {
    if (signalledAt === undefined) {
      signalledAt = performance.now();
      act(signal);
    } else if (performance.now() - signalledAt > SAME_SIGNAL) process.exit(1);
  };
  for (const signal of SIGNALS) {
    process.on(signal, listener);
    // Remove the old listener last, because a signal without any listener would end the process at once.
    process.off(signal, previous);
  }
}
