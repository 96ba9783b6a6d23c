import type { EntityManager } from 'typeorm';

type Reference =
  [table: 'submission_values', column: 'field_id'] | [table: 'entity_records', column: 'entity_id'];

/** Returns the ids that rows refer to. A query for each id, because PostgreSQL then reads only the first index entry of the id. */
export async function idsInUse(
  manager: EntityManager,
  ...[table, column, ids]: [...Reference, ids: readonly number[]]
): Promise<Set<number>> {
  const found = new Set<number>();
  for (const id of ids) {
    const rows = await manager.query<unknown[]>(`select from ${table} where ${column} = $1 limit 1`, [id]);
    if (rows.length > 0) found.add(id);
  }
  return found;
}
