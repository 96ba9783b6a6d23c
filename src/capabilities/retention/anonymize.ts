import type { EntityManager } from 'typeorm';
import { forgetCopies } from '../../server/load-hooks.js';
import { DELETE_ANSWERS, MARK_ANONYMIZED, RECORD_ANONYMIZED } from './due.statements.js';

/** When the answers were deleted before a restore, which is recorded already. Undefined: now, which must be recorded. */
type Before = { readonly at: string } | undefined;

/**
 * Deletes the answers of locked submissions in these fields, with their files and waiting copies (T4). Returns the number of submissions
 * that had such answers.
 */
export async function anonymize(
  manager: EntityManager,
  submissions: readonly string[],
  fieldIds: readonly number[],
  before?: Before,
): Promise<number> {
  const deleted = await manager.query<{ uuid: string; fieldIds: number[] }[]>(DELETE_ANSWERS, [
    submissions,
    fieldIds,
  ]);
  if (deleted.length === 0) return 0;
  const uuids = deleted.map(({ uuid }) => uuid);
  await manager.query(MARK_ANONYMIZED, [uuids, before?.at]);
  if (before === undefined) await manager.query(RECORD_ANONYMIZED, [JSON.stringify(deleted)]);
  await forgetCopies(manager, uuids, fieldIds);
  return deleted.length;
}
