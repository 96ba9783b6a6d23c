import type { Capability } from '../../server/capability.js';

/** Exports submissions as CSV and NDJSON. */
export const EXPORTS: Capability = { name: 'exports' };
