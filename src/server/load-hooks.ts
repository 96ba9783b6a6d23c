import { CAPABILITIES } from '../capabilities.js';
import type { Deletions, Hooks } from './hooks.js';

/** Loads the hooks of all capabilities. */
export const loadHooks = (): Promise<Hooks[]> =>
  Promise.all(CAPABILITIES.flatMap(({ hooks }) => hooks?.() ?? []));

/** Lets capabilities record an act. Call this in the transaction that performs the act. */
export const recordAct: NonNullable<Hooks['recordAct']> = async (manager, act) => {
  for (const hooks of await loadHooks()) await hooks.recordAct?.(manager, act);
};

/** Lets capabilities delete copies of answers. Call this in the transaction that deletes the answers. */
export const forgetCopies: NonNullable<Deletions['forgetCopies']> = async (
  manager,
  submissions,
  fieldIds,
) => {
  if (submissions.length === 0) return;
  for (const { deletions } of await loadHooks())
    await deletions?.forgetCopies?.(manager, submissions, fieldIds);
};
