import { Command } from 'commander';
import type { DataSource } from 'typeorm';
import { CommandError } from '../../../cli/command-error.js';
import { parseAge, parseUuid, type PurgeOptions } from '../../../cli/option-values.js';
import { counted, print, printJson, printTable } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';
import { noEndpoint, parseEndpointId } from './endpoint-id.js';

export function failuresCommand(): Command {
  return new Command('failures')
    .description('list failed webhooks: id, endpoint, event, submission, attempts, created, last error')
    .option('--endpoint <id>', 'only webhooks of this endpoint', parseEndpointId)
    .option('--json', 'print a JSON array')
    .action(async ({ endpoint, json = false }: { endpoint?: number; json?: boolean }) => {
      const { findEndpoint, listFailures } = await import('./webhooks.js');
      const listed = await withDatabase(async (dataSource) => {
        if (endpoint !== undefined && !(await findEndpoint(dataSource, endpoint))) throw noEndpoint(endpoint);
        return listFailures(dataSource, endpoint);
      });
      if (json) return printJson(listed);
      const rows = listed.map(
        ({ id, endpoint_id, event, submission_uuid, attempts, created_at, last_error }) => {
          return [id, String(endpoint_id), event, submission_uuid, String(attempts), created_at, last_error];
        },
      );
      const header = ['ID', 'ENDPOINT', 'EVENT', 'SUBMISSION', 'ATTEMPTS', 'CREATED', 'LAST ERROR'];
      return printTable([header, ...rows]);
    });
}

export function redeliverCommand(): Command {
  return new Command('redeliver')
    .description(
      'deliver a webhook, or all failed webhooks of an endpoint, at once, and count their attempts from zero',
    )
    .argument('[webhook-id]', 'as "webhooks failures" shows it', parseUuid)
    .option('--endpoint <id>', 'all failed webhooks of this endpoint', parseEndpointId)
    .action(async (id: string | undefined, { endpoint: endpointId }: { endpoint?: number }) => {
      if ((id === undefined) === (endpointId === undefined))
        throw new CommandError('Name a webhook, or --endpoint ID. "webhooks failures" shows both.');
      const { findEndpointIdOf, redeliver } = await import('./webhooks.js');
      const count = await withDatabase(async (dataSource) => {
        if (endpointId !== undefined) await ensureEnabled(dataSource, endpointId, noEndpoint(endpointId));
        if (id !== undefined) {
          const receiver = await findEndpointIdOf(dataSource, id);
          if (receiver === undefined) throw noWebhook(id);
          await ensureEnabled(dataSource, receiver, endpointRemoved(id, receiver));
        }
        return redeliver(dataSource, { id, endpointId });
      });
      if (id !== undefined && count === 0) throw noWebhook(id);
      await print(`${counted(count, 'webhook')} will be delivered.`);
    });
}

const noWebhook = (id: string) =>
  new CommandError(
    `There is no webhook ${id}, or it was delivered. "webhooks failures" shows failed webhooks.`,
  );

const endpointRemoved = (id: string, endpointId: number) =>
  new CommandError(
    `The webhook ${id} was for endpoint ${endpointId}, which was removed, so it cannot be delivered any more. ` +
      '"webhooks purge" deletes failed webhooks.',
  );

/** Rejects a disabled endpoint, because its deliveries would be given up at once. */
async function ensureEnabled(dataSource: DataSource, id: number, missing: CommandError): Promise<void> {
  const { findEndpoint } = await import('./webhooks.js');
  const endpoint = await findEndpoint(dataSource, id);
  if (endpoint === null) throw missing;
  if (endpoint.disabledReason === null) return;
  throw new CommandError(
    `Endpoint ${id} is disabled (${endpoint.disabledReason}) and receives nothing. ` +
      `Enable it with "webhooks enable ${id}" first.`,
  );
}

export function purgeCommand(): Command {
  return new Command('purge')
    .description('delete failed webhooks with their bodies; never a pending webhook')
    .requiredOption('--older-than <duration>', 'minimum time since the event, such as 90d', parseAge)
    .option('--dry-run', 'delete nothing, only count')
    .option('--json', 'print a JSON object')
    .action(async ({ olderThan, dryRun = false, json = false }: PurgeOptions & { olderThan: number }) => {
      const { purgeFailures } = await import('./webhooks.js');
      const webhooks = await withDatabase((dataSource) => purgeFailures(dataSource, olderThan, dryRun));
      if (json) return printJson({ webhooks, dry_run: dryRun });
      return print(`${dryRun ? 'Would delete' : 'Deleted'} ${counted(webhooks, 'webhook')}.`);
    });
}
