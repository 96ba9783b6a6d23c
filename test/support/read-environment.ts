import { FileSettings } from '../../src/capabilities/files/settings.js';
import { IdentitySettings } from '../../src/capabilities/identities/settings.js';
import { MetricsSettings } from '../../src/capabilities/metrics/settings.js';
import { RespondentSettings } from '../../src/capabilities/respondents/settings.js';
import { RetentionSettings } from '../../src/capabilities/retention/settings.js';
import { WebhookSettings } from '../../src/capabilities/webhooks/settings.js';
import { readSettings } from '../../src/config/read-settings.js';

/** Reads the configuration like the service, but without a promise, for tables of tests. */
export const readEnvironment = (variables: NodeJS.ProcessEnv, warn?: (sentence: string) => void) =>
  readSettings(
    variables,
    [MetricsSettings, RespondentSettings, FileSettings, IdentitySettings, RetentionSettings, WebhookSettings],
    warn,
  );
