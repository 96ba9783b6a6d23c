import type { Capability } from '../../server/capability.js';
import { webhooksCommand } from './commands/webhooks.command.js';
import { findCommand } from '../../cli/find-command.js';
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
    const deletion = findCommand(program, 'forms delete');
    deletion.description(`${deletion.description()}\nFails if the form has a webhook endpoint of its own.`);
  },
  hooks: async () => (await import('./hooks.js')).HOOKS,
  openApi: async () => (await import('./webhooks.openapi.js')).OPEN_API,
};
