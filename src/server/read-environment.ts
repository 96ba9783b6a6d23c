import { CAPABILITIES } from '../capabilities.js';
import type { Environment } from '../config/environment.js';
import { readSettings } from '../config/read-settings.js';

/** Reads the configuration of the core and of all capabilities: see {@link readSettings}. */
export function readEnvironment(
  variables: NodeJS.ProcessEnv,
  warn?: (sentence: string) => void,
): Environment {
  const settings = CAPABILITIES.map((capability) => capability.settings);
  return readSettings(
    variables,
    settings.filter((own) => own !== undefined),
    warn,
  );
}
