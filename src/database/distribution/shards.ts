import type { DataSource, EntityManager } from 'typeorm';
import { DISTRIBUTED, type Layout, ONE_SERVER } from './layout.js';
import { hashUuid } from './hash-uuid.js';

/** How Citus distributes submissions: each shard holds a range of hashes. */
export class Shards {
  /** `minimums`: the lowest hash of each, ascending. */
  constructor(private readonly minimums: readonly number[]) {}

  get count(): number {
    return this.minimums.length;
  }

  /** The shard that holds a submission, by its place among them. */
  holding(uuid: string): number {
    const hash = hashUuid(uuid);
    let low = 0;
    for (let high = this.minimums.length; high - low > 1;) {
      const middle = (low + high) >> 1;
      if ((this.minimums[middle] as number) <= hash) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Undefined where the tables lie on one server. */
export async function readShards(database: DataSource | EntityManager): Promise<Shards | undefined> {
  const [{ has_citus }] = await database.query<[{ has_citus: boolean }]>(
    `select to_regclass('pg_catalog.pg_dist_shard') is not null as has_citus`,
  );
  if (!has_citus) return undefined;
  const shards = await database.query<{ minimum: number }[]>(
    `select shardminvalue::integer as minimum from pg_dist_shard
      where logicalrelid = to_regclass('submissions') order by minimum`,
  );
  return shards.length === 0 ? undefined : new Shards(shards.map(({ minimum }) => minimum));
}

export async function layoutOf(database: DataSource | EntityManager): Promise<Layout> {
  return (await readShards(database)) === undefined ? ONE_SERVER : DISTRIBUTED;
}
