import type { Hooks } from '../../server/hooks.js';
import { insertAuditEntry } from './insert-audit-entry.js';

export const HOOKS: Hooks = {
  recordAct: insertAuditEntry,
  staysBehind:
    'Entries of the audit log: they prove what operators did. They contain ids and counts, but no name and no answer.',
};
