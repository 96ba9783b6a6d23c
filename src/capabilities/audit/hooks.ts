import type { Hooks } from '../../server/hooks.js';
import { insertAuditEntry } from './insert-audit-entry.js';

export const HOOKS: Hooks = { recordAct: insertAuditEntry };
