import { cannotListen } from '../../server/cannot-listen.js';
import type { Observer, Start } from '../../server/capability.js';
import { packageVersion } from '../../server/package-version.js';
import { Metrics } from './metrics.js';
import { serveMetrics } from './metrics-server.js';
import type { MetricsSettings } from './settings.js';

/** @throws StartError if METRICS_PORT cannot be opened */
export async function startMetrics({ environment, packageRoot, measurements }: Start): Promise<Observer> {
  const { metricsPort = 0, host } = environment.of<MetricsSettings>();
  const version = packageVersion(packageRoot);
  measurements.gauge(
    'formtrail_build_info',
    'Always 1; the labels are the versions of Formtrail and Node.js.',
    ['version', 'node'],
    () => ({ [version]: { [process.versions.node]: 1 } }),
  );
  const { url, close } = await serveMetrics(Metrics.of(measurements), metricsPort, host).catch(
    (error: unknown) => cannotListen(error, 'METRICS_PORT', metricsPort, host),
  );
  return { startFields: { metricsUrl: url }, close };
}
