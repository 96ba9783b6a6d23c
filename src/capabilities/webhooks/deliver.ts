import type { Tracing } from '../tracing/open-telemetry.js';
import { Webhooks } from './webhooks.service.js';
import { prepareSchema, start } from '../../server/start.js';
import { stopOnSignal } from '../../server/stop-on-signal.js';

/** Starts a process that only delivers webhooks. Resolves and throws as `serve` does. */
export function deliver(variables: NodeJS.ProcessEnv, packageRoot: string, tracing?: Tracing): Promise<void> {
  return start(variables, packageRoot, tracing, async (program) => {
    const { environment, logger, metrics, closing } = program;
    await prepareSchema(program);
    // Do not create a Nest application, which would need 38 MiB.
    const webhooks = await (await Webhooks.of(program)).start();
    closing.unshift(() => webhooks.close());
    metrics?.metrics.watchWebhooks(webhooks);
    metrics?.metrics.watchOutbox(webhooks.outbox);
    stopOnSignal(environment, program);
    logger.info({ metricsUrl: metrics?.url }, 'delivering webhooks');
  });
}
