import type { Logger } from 'pino';
import { type Environment, StartError } from '../config/environment.js';
import type { OpenDatabase } from '../database/connection.js';
import type { Tracing } from '../tracing/open-telemetry.js';
import { parseWebhookKey } from './secret.js';
import { startWebhooks, type Webhooks } from './start-webhooks.js';
import { webhookKeyOf } from './webhook-key.js';

/**
 * Starts to deliver webhooks, as the environment says.
 *
 * @throws StartError where the operator can do something about it
 */
export async function deliverWebhooks(
  environment: Environment,
  { direct }: OpenDatabase,
  logger: Logger,
  tracing: Tracing | undefined,
): Promise<Webhooks> {
  const key = parseWebhookKey(await webhookKeyOf(environment));
  const { webhookAllow: allow } = environment;
  try {
    return await startWebhooks({
      connection: direct.connection,
      key,
      allow,
      logger,
      inSpan: tracing?.inSpan,
    });
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new StartError(
      `Webhooks are delivered by the role that migrates: ${(error as Error).message}. ` +
        'Connect as that role, or run "webhooks deliver" as it, and set WEBHOOKS=off here.',
    );
  }
}
