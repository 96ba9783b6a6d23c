import type { EntityManager } from 'typeorm';
import { isoTimestampSql } from '../../database/iso-timestamp.js';
import type { ErasureKind, ErasureReason } from './entities/erasure.js';

/** A line of the file of erasures. Properties that are null are left out. */
export interface ErasureLine {
  readonly id: string;
  readonly kind: ErasureKind;
  readonly happened_at: string;
  readonly reason: ErasureReason;
  readonly submission_uuid?: string;
  readonly user_id?: number;
  readonly field_ids?: readonly number[];
  /** Hexadecimal. */
  readonly identity_hashes?: readonly string[];
}

/** Erasures that are read, and applied, together. */
const PAGE = 500;
/** Erasures that are deleted together. */
const BATCH = 5_000;

const READ_ALL = `
  declare erasures_in_order no scroll cursor for
  select json_strip_nulls(json_build_object('id', id, 'kind', kind, 'happened_at', ${isoTimestampSql('happened_at')}, 'reason', reason,
           'submission_uuid', submission_uuid, 'user_id', user_id, 'field_ids', field_ids,
           'identity_hashes', (select json_agg(encode(hash, 'hex')) from unnest(identity_hashes) as hash)))::text as line
    from erasures order by happened_at, id`;

/** Reads all erasures in the order in which they happened, as lines of JSON. Needs a transaction. */
export async function* erasureLines(manager: EntityManager): AsyncGenerator<readonly string[]> {
  await manager.query(READ_ALL);
  for (;;) {
    const rows = await manager.query<{ line: string }[]>(`fetch ${PAGE} from erasures_in_order`);
    if (rows.length > 0) yield rows.map(({ line }) => line);
    if (rows.length < PAGE) return;
  }
}

/** Deletes the erasures that are older than this number of days, in small transactions (T3). */
export async function forgetOldErasures(
  { manager }: { readonly manager: EntityManager },
  days: number,
): Promise<void> {
  for (;;) {
    const [, deleted] = await manager.query<[unknown, number]>(
      `delete from erasures where id in (
         select id from erasures where happened_at < now() - make_interval(hours => 24 * $1::integer)
          order by happened_at limit ${BATCH})`,
      [days],
    );
    if (deleted < BATCH) return;
  }
}
