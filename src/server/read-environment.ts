import { CAPABILITIES } from '../capabilities.js';
import type { Environment, SettingsClass } from '../config/environment.js';
import { readSettings } from '../config/read-settings.js';

/** Reads the configuration of the core and of all capabilities: see {@link readSettings}. */
export async function readEnvironment(
  variables: NodeJS.ProcessEnv,
  warn?: (sentence: string) => void,
): Promise<Environment> {
  return readSettings(variables, await settingsOfCapabilities(), warn);
}

export async function settingsOfCapabilities(): Promise<SettingsClass[]> {
  const loaded: SettingsClass[] = [];
  for (const { settings } of CAPABILITIES) if (settings !== undefined) loaded.push(await settings());
  return loaded;
}
