import type { Capability } from '../../server/capability.js';
import type { MetricsSettings } from './settings.js';

/** Serves the measurements of the process for Prometheus, if METRICS_PORT is set. */
export const METRICS: Capability = {
  name: 'metrics',
  settings: async () => (await import('./settings.js')).MetricsSettings,
  startObserver: async (start) =>
    start.environment.of<MetricsSettings>().metricsPort === undefined
      ? undefined
      : (await import('./start-metrics.js')).startMetrics(start),
  module: (environment) =>
    environment.of<MetricsSettings>().metricsPort === undefined
      ? undefined
      : import('./metrics.module.js').then(({ MetricsModule }) => MetricsModule),
};
