import type { EntityManager } from 'typeorm';
import type { OperatorAct } from '../../server/hooks.js';

export async function insertAuditEntry(
  manager: Pick<EntityManager, 'query'>,
  { action, subject, detail = {} }: OperatorAct,
): Promise<void> {
  await manager.query('insert into audit_log (action, subject, detail) values ($1, $2, $3)', [
    action,
    subject,
    JSON.stringify(detail),
  ]);
}
