import type { Environment } from '../config/environment.js';
import { StartError } from '../config/start-error.js';
import { packageVersion } from './package-version.js';

/** Loads the metrics only if METRICS_PORT is set. */
export async function openMetrics({ metricsPort, host }: Environment, packageRoot: string) {
  if (metricsPort === undefined) return undefined;
  const { startMetrics } = await import('../capabilities/metrics/metrics-server.js');
  return startMetrics(packageVersion(packageRoot), metricsPort, host).catch((error: unknown) =>
    cannotListen(error, 'METRICS_PORT', metricsPort, host),
  );
}

/** @throws StartError if the operator can mend the cause */
export function cannotListen(
  error: unknown,
  name: 'PORT' | 'METRICS_PORT',
  port: number,
  host: string,
): never {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    throw new StartError(
      `Port ${port} of ${host} is in use, perhaps by another Formtrail. Stop it, or set ${name}.`,
    );
  if (['EACCES', 'EINVAL', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code ?? ''))
    throw new StartError(`Cannot listen on port ${port} of ${host} (${message}). Check ${name} and HOST.`);
  throw error;
}
