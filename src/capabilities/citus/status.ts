import type { Queryable } from '../../database/distribution.js';

/** The version of Citus, the nodes that may hold shards, and the number of shards, which is 0 if the tables are not distributed. */
export async function distributionStatus(database: Queryable) {
  const [extension] = await database.query<{ extversion: string }[]>(
    `select extversion from pg_extension where extname = 'citus'`,
  );
  if (extension === undefined) return { citus: undefined, nodes: [], shards: 0 };
  const [status] = await database.query<[{ nodes: string[]; shards: number }]>(
    `select array(select nodename || ':' || nodeport from pg_dist_node where isactive and shouldhaveshards order by nodeid) as nodes,
            (select count(*)::integer from pg_dist_shard where logicalrelid = to_regclass('submissions')) as shards`,
  );
  return { citus: extension.extversion, ...status };
}

export async function describe(database: Queryable): Promise<string> {
  const { citus, nodes, shards } = await distributionStatus(database);
  return `Submissions are distributed by Citus ${citus} in ${shards} shards over ${nodes.join(' and ')}.`;
}
