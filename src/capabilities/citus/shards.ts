import { v7 as uuidV7 } from 'uuid';
import type { Queryable } from '../../database/distribution.js';

export interface Shard {
  readonly id: number;
  /** The lowest hash in the shard. */
  readonly minimum: number;
  /** The number of the worker that has the shard. */
  readonly worker: number;
  /** The names of the tables of the shard, and of the mirrors on its worker, by the names of the whole tables. */
  readonly tables: Readonly<Record<string, string>>;
}

/** The shards of submissions in Citus. The hash of a submission's UUID decides which shard has the submission. */
export class Shards {
  /** @param shards in ascending order of `minimum` */
  constructor(private readonly shards: readonly Shard[]) {}

  /** Returns the shard that has a submission. */
  holding(uuid: string): Shard {
    const hash = hashUuid(uuid);
    return this.shards.findLast(({ minimum }) => minimum <= hash) as Shard;
  }

  /** Returns a new UUID of a suitable shard. Returns undefined if no shard is suitable. */
  newUuid(isSuitable: (shard: Shard) => boolean): string | undefined {
    if (!this.shards.some(isSuitable)) return undefined;
    let uuid: string;
    // Citus creates shards of equal width, so the loop needs few attempts, of about a microsecond each.
    do uuid = uuidV7();
    while (!isSuitable(this.holding(uuid)));
    return uuid;
  }
}

/** Returns undefined if the tables are not distributed. */
export async function findShards(database: Queryable): Promise<Shards | undefined> {
  const catalog = `select where to_regclass('pg_catalog.pg_dist_shard') is not null`;
  if ((await database.query<unknown[]>(catalog)).length === 0) return undefined;
  // Tables of the same range of hashes are colocated. Mirrors have no range.
  const shards = await database.query<Shard[]>(
    `select shardid::integer as id, shardminvalue::integer as minimum, groupid as worker,
            (select json_object_agg(logicalrelid, logicalrelid || '_' || shardid) from pg_dist_shard as own
              where own.shardminvalue = shards.shardminvalue or own.shardminvalue is null) as tables
       from pg_dist_shard as shards join pg_dist_placement using (shardid)
      where logicalrelid = to_regclass('submissions') order by minimum`,
  );
  return shards.length === 0 ? undefined : new Shards(shards);
}

/** The initial value of PostgreSQL's `hash_bytes` for 16 bytes (src/common/hashfn.c: lookup3 by Bob Jenkins). */
const INITIAL = 0x9e3779b9 + 16 + 3923095;

const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by));

/**
 * Returns PostgreSQL's `uuid_hash` on a little-endian processor, as a signed integer. Citus chooses the shard by this
 * hash. `| 0` makes numbers words of 32 bits.
 */
export function hashUuid(uuid: string): number {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  let [a, b, c] = [0, 4, 8].map((at) => (INITIAL + bytes.readInt32LE(at)) | 0) as [number, number, number];
  // Each step changes other words in turn. After six steps they are in their order again.
  for (const by of [4, 6, 8, 16, 19, 4]) {
    a = (a - c) ^ rotate(c, by);
    c = (c + b) | 0;
    [a, b, c] = [b, c, a];
  }
  a = (a + bytes.readInt32LE(12)) | 0;
  for (const by of [14, 11, 25, 16, 4, 14, 24]) {
    c = ((c ^ b) - rotate(b, by)) | 0;
    [c, a, b] = [a, b, c];
  }
  return b;
}
