import { StartError } from '../../config/start-error.js';
import { hashUuid } from './hash-uuid.js';

interface Shard {
  /** The lowest hash in the shard. */
  readonly minimum: number;
  /** The number of the worker that has the shard. */
  readonly worker: number;
}

/** The shards of submissions in Citus. The hash of a submission's UUID decides which shard has the submission. */
export class Shards {
  /** @param shards in ascending order of `minimum` */
  constructor(private readonly shards: readonly Shard[]) {}

  /** Returns the index of the shard that has a submission. */
  holding(uuid: string): number {
    const hash = hashUuid(uuid);
    let low = 0;
    for (let high = this.shards.length; high - low > 1;) {
      const middle = (low + high) >> 1;
      if ((this.shards[middle] as Shard).minimum <= hash) low = middle;
      else high = middle;
    }
    return low;
  }

  workerOf(uuid: string): number {
    return (this.shards[this.holding(uuid)] as Shard).worker;
  }

  /** Returns a new UUID whose shard is on a suitable worker. Returns undefined if no suitable worker has a shard. */
  uuidAt(isSuitable: (worker: number) => boolean, newUuid: () => string): string | undefined {
    if (!this.shards.some(({ worker }) => isSuitable(worker))) return undefined;
    let uuid: string;
    // Citus creates shards of equal width, so the loop needs few attempts, of about a microsecond each.
    do uuid = newUuid();
    while (!isSuitable(this.workerOf(uuid)));
    return uuid;
  }
}

/** A data source, a manager, or another connection. */
interface Queryable {
  query<Rows>(sql: string): Promise<Rows>;
}

/** Returns undefined if the tables are not distributed. */
export async function readShards(database: Queryable): Promise<Shards | undefined> {
  const [{ has_citus }] = await database.query<[{ has_citus: boolean }]>(
    `select to_regclass('pg_catalog.pg_dist_shard') is not null as has_citus`,
  );
  if (!has_citus) return undefined;
  const shards = await database.query<Shard[]>(
    `select shardminvalue::integer as minimum, groupid as worker from pg_dist_shard join pg_dist_placement using (shardid)
      where logicalrelid = to_regclass('submissions') order by minimum`,
  );
  return shards.length === 0 ? undefined : new Shards(shards);
}

export async function isOneServer(database: Queryable): Promise<boolean> {
  return (await readShards(database)) === undefined;
}

/**
 * Rejects the use of a feature that Citus lacks.
 *
 * @param feature a plural noun
 * @param remedy a sentence that tells the operator what to do instead
 * @throws StartError if Citus distributes the submissions
 */
export async function requireOneServer(database: Queryable, feature: string, remedy: string): Promise<void> {
  if (!(await isOneServer(database)))
    throw new StartError(`${feature} are not available if submissions are distributed over Citus. ${remedy}`);
}
