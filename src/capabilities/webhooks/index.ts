import type { Capability } from '../../server/capability.js';
import { webhooksCommand } from './commands/webhooks.command.js';
import type { WebhookSettings } from './settings.js';

/** Requests to other programs when a submission is created, completed or deleted. */
export const WEBHOOKS: Capability = {
  name: 'webhooks',
  settings: async () => (await import('./settings.js')).WebhookSettings,
  module: async (environment) => {
    const { WebhooksModule } = await import('./webhooks.module.js');
    return WebhooksModule.of(environment.of<WebhookSettings>().webhooks === 'inline');
  },
  addCommands: (program, packageRoot) => {
    program
      .addCommand(webhooksCommand(packageRoot))
      .addHelpText(
        'after',
        '  formtrail webhooks add --url https://crm.example.org/hooks --form job-application',
      );
  },
  openApi: async () => (await import('./webhooks.openapi.js')).OPEN_API,
};
