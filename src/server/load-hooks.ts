import { CAPABILITIES } from '../capabilities.js';
import type { Hooks } from './hooks.js';

/** Loads the hooks of all capabilities. */
export const loadHooks = (): Promise<Hooks[]> =>
  Promise.all(CAPABILITIES.flatMap(({ hooks }) => hooks?.() ?? []));

/** Lets capabilities record an act. Call this in the transaction that performs the act. */
export const recordAct: NonNullable<Hooks['recordAct']> = async (manager, act) => {
  for (const hooks of await loadHooks()) await hooks.recordAct?.(manager, act);
};
