export { AUDIT_ACTIONS, type AuditAction, AuditEntry } from './audit-entry.js';
export { Audit1798000000007 } from '../migrations/0007-audit.js';
export {
  PersonalDataActs1798000000043,
  HeldSubmissionActs1798000000044,
} from '../migrations/0043-personal-data.js';
