import { Client } from 'pg';
import { createDataSource } from '../../src/server/data-source.js';
import type { Connection } from '../../src/database/connection.js';
import { asAnotherProgram, withDatabase } from './test-server.js';

/** The URL of a Citus worker. */
type Worker = string;

/** Distributes a migrated database of the coordinator over the workers. */
export async function distributeDatabase(
  { connectionString = '' }: Connection,
  name: string,
  workers: readonly Worker[],
): Promise<void> {
  await onWorkers(workers, (client) => client.query(`create database ${name}`));
  const nodes = [connectionString, ...workers].map((url) => withDatabase({ connectionString: url }, name));
  for (const node of nodes) await asAnotherProgram(node, (client) => client.query('create extension citus'));
  const [coordinator] = nodes as [Connection];
  await asAnotherProgram(coordinator, async (client) => {
    const { hostname, port } = new URL(connectionString);
    await client.query('select citus_set_coordinator_host($1, $2)', [hostname, Number(port)]);
    for (const worker of workers.map((url) => new URL(url)))
      await client.query('select citus_add_node($1, $2)', [worker.hostname, Number(worker.port)]);
  });
  const dataSource = await createDataSource(coordinator, { size: 1, deadlines: false }).initialize();
  const { distribute } = await import('../../src/capabilities/citus/distribute.js');
  await distribute(dataSource, () => undefined);
  await dataSource.destroy();
}

/**
 * Makes a database of one server look like that of a Citus coordinator to the service and its commands: the catalogue lists a shard,
 * and there are mirrors. Only a superuser can do this.
 */
export async function imitateCoordinator(connection: Connection): Promise<void> {
  const { creationOf, MIRRORS, triggersOf } = await import('../../src/capabilities/citus/tables.js');
  await asAnotherProgram(connection, async (client) => {
    await client.query('set allow_system_table_mods = on');
    await client.query(`
      create table pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text);
      create table pg_catalog.pg_dist_placement (shardid bigint, groupid integer);
      insert into pg_dist_shard values ('submissions', 1, '-2147483648');
      insert into pg_dist_placement values (1, 1)`);
    for (const sql of [...MIRRORS.flatMap(creationOf), ...MIRRORS.flatMap(triggersOf)])
      if (!sql.includes('create_reference_table')) await client.query(sql);
  });
}

export async function onWorkers(
  workers: readonly Worker[],
  work: (client: Client) => Promise<unknown>,
): Promise<void> {
  for (const connectionString of workers) await asAnotherProgram({ connectionString }, work);
}
