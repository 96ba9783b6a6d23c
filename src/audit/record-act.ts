import type { EntityManager } from 'typeorm';
import type { AuditAction } from './entities/audit-entry.js';

export interface Act {
  readonly action: AuditAction;
  /** A kind, a colon and an identifier, such as `form:feedback`. */
  readonly subject: string;
  /** Counts, ids and settings; never a value of a submission or an e-mail address. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Records an act that no trigger records, in the transaction that performs it. */
export async function recordAct(
  manager: Pick<EntityManager, 'query'>,
  { action, subject, detail = {} }: Act,
): Promise<void> {
  await manager.query('insert into audit_log (action, subject, detail) values ($1, $2, $3)', [
    action,
    subject,
    JSON.stringify(detail),
  ]);
}
