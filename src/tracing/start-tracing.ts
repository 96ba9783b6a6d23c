import { StartError } from '../config/environment.js';
import type { Tracing } from './open-telemetry.js';
import { tracingProtocol } from './protocol.js';

/**
 * Starts tracing where the standard variables of OpenTelemetry ask for it; otherwise nothing of it is loaded. To be
 * called before anything that is to be traced is loaded.
 *
 * @throws StartError where they ask for what there is not
 */
export async function startTracing(variables: NodeJS.ProcessEnv): Promise<Tracing | undefined> {
  const protocol = tracingProtocol(variables);
  if (protocol === undefined) return undefined;
  try {
    const { startOpenTelemetry } = await import('./open-telemetry.js');
    return await startOpenTelemetry(protocol);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartError(
      'The OTEL_* variables ask for traces, but OpenTelemetry is not installed. ' +
        'Install with the optional dependencies, or set OTEL_SDK_DISABLED=true.',
    );
  }
}
