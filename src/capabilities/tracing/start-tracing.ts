import { StartError } from '../../config/start-error.js';
import type { Observer, Start } from '../../server/capability.js';
import { tracingProtocol } from './protocol.js';

/**
 * Starts tracing if the standard variables of OpenTelemetry enable it. Otherwise OpenTelemetry is not loaded. Call this before
 * the modules to trace are loaded.
 *
 * @throws StartError if a variable has an unsupported value, or OpenTelemetry is not installed
 */
export async function startTracing({ variables, logger }: Start): Promise<Observer | undefined> {
  const protocol = tracingProtocol(variables);
  if (protocol === undefined) return undefined;
  try {
    const { startOpenTelemetry } = await import('./open-telemetry.js');
    return await startOpenTelemetry(protocol, logger);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartError(
      'The OTEL_* variables enable traces, but OpenTelemetry is not installed. ' +
        'Install with the optional dependencies, or set OTEL_SDK_DISABLED=true.',
    );
  }
}
