export { AUDIT_ACTIONS, type AuditAction, AuditEntry } from './audit-entry.js';
export { Audit1798000000007 } from '../migrations/0007-audit.js';
