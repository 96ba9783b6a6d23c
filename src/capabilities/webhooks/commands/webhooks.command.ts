import { Command, Option } from 'commander';
import { runsLong } from '../../../cli/compile-cache.js';
import { endOnSignal } from '../../../server/stop-on-signal.js';
import type { EntityManager } from 'typeorm';
import type { WebhookBody, WebhookEvent } from '../entities/webhook-endpoint.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import { CommandError, formIdOf } from '../../../cli/command-error.js';
import { parseDuration } from '../../../cli/option-values.js';
import { print, printJson, printTable } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';
import { ENDPOINT_ID_HINT, noEndpoint, parseEndpointId, parseHttpUrl } from './endpoint-id.js';
import { failuresCommand, purgeCommand, redeliverCommand } from './failures.command.js';

interface AddOptions {
  readonly url: string;
  readonly form?: string;
  readonly events?: WebhookEvent[];
  readonly body: WebhookBody;
  readonly withoutPersonal?: boolean;
}

/** A copy of WEBHOOK_EVENTS, because importing the original would load TypeORM for the help. A test compares both lists. */
const EVENTS = ['submission.created', 'submission.completed', 'submission.deleted'];

const THIN_WITHOUT_PERSONAL =
  '"--without-personal" is an option of full bodies, because thin bodies have nothing that a person filled in. ' +
  'Add "--body full", or leave it out.';

export function webhooksCommand(packageRoot: string): Command {
  return new Command('webhooks')
    .description('manage webhook endpoints, and webhooks that could not be delivered')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(testCommand())
    .addCommand(rotateCommand())
    .addCommand(enableCommand())
    .addCommand(removeCommand())
    .addCommand(failuresCommand())
    .addCommand(redeliverCommand())
    .addCommand(purgeCommand())
    .addCommand(deliverCommand(packageRoot));
}

function addCommand(): Command {
  return new Command('add')
    .description(
      'add an endpoint and print only its secret. The secret is shown only once, and stored encrypted',
    )
    .requiredOption('--url <url>', 'http or https; a private address gets a warning', parseHttpUrl)
    .option('--form <slug>', 'only submissions of this form, as "forms list" shows it')
    .addOption(
      new Option(
        '--events <events...>',
        'the events to send (default: submission.completed and submission.deleted)',
      ).choices(EVENTS),
    )
    .addOption(
      new Option('--body <body>', 'thin, or full with the values').choices(['thin', 'full']).default('thin'),
    )
    .option(
      '--without-personal',
      'in full bodies: no email address, no meta and no values of personal fields',
    )
    .action(async ({ url, form: slug, events, body, withoutPersonal = false }: AddOptions) => {
      if (withoutPersonal && body === 'thin') throw new CommandError(THIN_WITHOUT_PERSONAL);
      const { createWebhookEndpoint } = await import('../../../entities.js');
      const { webhookKey } = await import('./webhooks.js');
      const { asOperator } = await import('../../../cli/as-operator.js');
      const { requireOneServer } = await import('../../../database/distribution.js');
      const scope = slug === undefined ? 'all forms' : `the form "${slug}"`;
      // Print inside the transaction: if the secret cannot be printed, the endpoint is useless and must not exist.
      const add = async (manager: EntityManager) => {
        await requireOneServer(
          manager,
          'Webhooks',
          'Run "submissions export --since" regularly to learn about new submissions.',
        );
        const formId = slug === undefined ? null : await formIdOf({ manager }, slug);
        const endpoint = { url, formId, body, personal: !withoutPersonal, ...(events && { events }) };
        const { id, secret } = await createWebhookEndpoint(manager, endpoint, await webhookKey());
        await print(secret);
        sayToOperator(`Endpoint ${id} receives webhooks of ${scope} from now on.`);
        return id;
      };
      const id = await withDatabase((dataSource) => asOperator(dataSource, add));
      await (await import('./warn-of-address.js')).warnOfAddress(id, url);
    });
}

function listCommand(): Command {
  return new Command('list')
    .description(
      'list all endpoints: id, status, form, events, body, whether full bodies have personal data, pending and failed webhooks, URL',
    )
    .option('--json', 'print a JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { listEndpoints } = await import('./webhooks.js');
      const listed = await withDatabase(listEndpoints);
      if (json) return printJson(listed);
      const rows = listed.map(({ id, status, disabled_reason, form, events, body, url, ...endpoint }) => {
        const why = disabled_reason === null ? status : `${status} (${disabled_reason})`;
        const short = events.map((event) => event.replace('submission.', '')).join();
        const personal = body === 'full' ? (endpoint.personal ? 'yes' : 'no') : '-';
        const counts = [endpoint.pending, endpoint.failed].map(String);
        return [String(id), why, form ?? '-', short, body, personal, ...counts, url];
      });
      const header = ['ID', 'STATUS', 'FORM', 'EVENTS', 'BODY', 'PERSONAL', 'PENDING', 'FAILED', 'URL'];
      return printTable([header, ...rows]);
    });
}

function testCommand(): Command {
  return new Command('test')
    .description('send a webhook of the type webhook.test from this machine, once, and print the result')
    .argument('<id>', ENDPOINT_ID_HINT, parseEndpointId)
    .action(async (id: number) => {
      const { testWebhook } = await import('./test-webhook.js');
      const status = await withDatabase((dataSource) => testWebhook(dataSource, id));
      if (status === undefined) throw noEndpoint(id);
      await print(`Received: HTTP ${status}.`);
    });
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description(
      'give an endpoint a new secret and print only the secret. For a while, the old secret signs webhooks too',
    )
    .argument('<id>', ENDPOINT_ID_HINT, parseEndpointId)
    .addOption(
      new Option('--overlap <duration>', 'how long both secrets sign webhooks, such as 12h or 7d')
        .argParser(parseDuration)
        .default(86_400, '24h'),
    )
    .addOption(new Option('--now', 'stop signing with the old secret at once').conflicts('overlap'))
    .action(async (id: number, { overlap, now = false }: { overlap: number; now?: boolean }) => {
      const { rotateSecret } = await import('./webhooks.js');
      const { asOperator } = await import('../../../cli/as-operator.js');
      const rotate = async (manager: EntityManager) => {
        const secret = await rotateSecret(manager, id, now ? 0 : overlap);
        if (secret === undefined) throw noEndpoint(id);
        await print(secret);
      };
      await withDatabase((dataSource) => asOperator(dataSource, rotate));
    });
}

function enableCommand(): Command {
  return new Command('enable')
    .description('enable a disabled endpoint. "redeliver" sends its failed webhooks')
    .argument('<id>', ENDPOINT_ID_HINT, parseEndpointId)
    .action(async (id: number) => {
      const { enableEndpoint } = await import('./webhooks.js');
      if (!(await withDatabase((dataSource) => enableEndpoint(dataSource, id)))) throw noEndpoint(id);
      await print(`Endpoint ${id} is active.`);
    });
}

function removeCommand(): Command {
  return new Command('remove')
    .description('remove an endpoint. Its pending webhooks become failed')
    .argument('<id>', ENDPOINT_ID_HINT, parseEndpointId)
    .action(async (id: number) => {
      const { removeEndpoint } = await import('./webhooks.js');
      if (!(await withDatabase((dataSource) => removeEndpoint(dataSource, id)))) throw noEndpoint(id);
      await print(`Endpoint ${id} is removed.`);
    });
}

function deliverCommand(packageRoot: string): Command {
  return runsLong(new Command('deliver'))
    .description(
      'deliver webhooks until SIGTERM or SIGINT, if servers have WEBHOOKS=off; run as many processes as you like',
    )
    .action(async () => {
      endOnSignal();
      const { start } = await import('../../../server/start.js');
      await start(packageRoot, async () => (await import('../deliver.js')).deliver);
    });
}
