import { CachedReading } from '../../database/cached-reading.js';
import { prepareSchema } from '../../server/prepare-schema.js';
import type { Program } from '../../server/program.js';
import { stopOnSignal } from '../../server/stop-on-signal.js';
import { measureOutbox } from './webhook-metrics.js';
import { Webhooks } from './webhooks.service.js';

/** Starts a process that only delivers webhooks. Resolves and throws as `serve` does. */
export async function deliver(program: Program): Promise<void> {
  const { environment, logger, measurements, startFields, closing } = program;
  await prepareSchema(program);
  // Do not create a Nest application, which would need 38 MiB.
  const webhooks = await (await Webhooks.of(program)).start();
  closing.unshift(() => webhooks.close());
  measureOutbox(measurements, new CachedReading(webhooks.outbox));
  stopOnSignal(environment, program);
  logger.info(startFields, 'delivering webhooks');
}
