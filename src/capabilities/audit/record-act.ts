import type { EntityManager } from 'typeorm';
import type { AuditAction } from './entities/audit-entry.js';

export interface Act {
  readonly action: AuditAction;
  /** The object of the act: its kind, a colon and its identifier, such as `form:feedback`. */
  readonly subject: string;
  /** May contain counts, ids and settings, but no value of a submission and no email address. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Records an act that no trigger records. Call this in the transaction that performs the act. */
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
