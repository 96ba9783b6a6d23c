import type { Capability } from '../../server/capability.js';

/** Distributes submissions over several servers. */
export const CITUS: Capability = { name: 'citus' };
