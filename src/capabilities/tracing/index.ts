import type { Capability } from '../../server/capability.js';

/** Sends traces to an OpenTelemetry collector. The standard variables of OpenTelemetry (`OTEL_…`) configure it. */
export const TRACING: Capability = {
  name: 'tracing',
  startObserver: async (start) => (await import('./start-tracing.js')).startTracing(start),
};
