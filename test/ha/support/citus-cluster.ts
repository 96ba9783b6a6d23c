import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Connection } from '../../../src/database/connection.js';
import { createDataSource } from '../../../src/server/data-source.js';
import { runProgram } from '../../../packages/embedded-postgres/src/run-program.js';
import {
  chooseServerAccount,
  commandFor,
  type ServerAccount,
} from '../../../packages/embedded-postgres/src/server-account.js';
import { migrate } from '../../../src/migrations/migrate.js';
import { distributeDatabase } from '../../support/citus.js';
import { eventually } from '../../support/eventually.js';
import type { TestDatabase } from '../../support/test-database.js';
import { asAnotherProgram } from '../../support/test-server.js';
import { byte, canConnect, startReaper } from './cluster.js';
import { ClusterNode } from './cluster-node.js';

/** The directory with the programs of a PostgreSQL server that has Citus installed. */
const PROGRAMS = process.env['CITUS_PROGRAMS'] ?? '';
/** Milliseconds to wait for the start of a server, enough for a busy machine. */
const PATIENCE = 60_000;
const PORT = 5432;
const SETTINGS = {
  port: PORT,
  shared_preload_libraries: 'citus',
  max_connections: 100,
  max_prepared_transactions: 100,
  shared_buffers: '64MB',
  // The tests kill processes, not machines, so written data need not reach the disk.
  fsync: 'off',
  // The default is a minute, during which prepared transactions keep their locks.
  'citus.recover_2pc_interval': '1s',
};

/** A coordinator and two workers, like deploy/citus, on loopback addresses. */
export class CitusCluster {
  private constructor(
    private readonly reaper: ChildProcess,
    readonly coordinator: ClusterNode,
    readonly workers: readonly ClusterNode[],
  ) {}

  static async start(): Promise<CitusCluster> {
    const directory = await mkdtemp(path.join(tmpdir(), 'ft-citus-'));
    const reaper = startReaper(directory);
    const account = await chooseServerAccount({
      dataDir: directory,
      cluster: path.join(directory, 'coordinator/data'),
      postgres: path.join(PROGRAMS, 'postgres'),
    });
    const network = `127.${byte()}.${byte()}`;
    const nodes: ClusterNode[] = [];
    for (const [index, name] of ['coordinator', 'worker-1', 'worker-2'].entries())
      nodes.push(await makeNode(path.join(directory, name), `${network}.${index + 1}`, account));
    const [coordinator, ...workers] = nodes as [ClusterNode, ...ClusterNode[]];
    const cluster = new CitusCluster(reaper, coordinator, workers);
    for (const node of nodes) await cluster.start(node);
    return cluster;
  }

  /** Resolves when the node accepts connections. */
  async start(node: ClusterNode): Promise<void> {
    node.start();
    await eventually(`${node.name} answers`, () => canConnect(node.connection), PATIENCE);
  }

  /** Creates a distributed database. Dropping the database stops the cluster. */
  async database(): Promise<TestDatabase> {
    const name = 'formtrail';
    const server = urlOf(this.coordinator, 'postgres');
    const url = urlOf(this.coordinator, name);
    await asAnotherProgram(this.coordinator.connection, (client) => client.query(`create database ${name}`));
    const connection: Connection = { connectionString: url };
    const dataSource = await createDataSource(connection, { size: 2, deadlines: false }).initialize();
    await migrate(dataSource);
    const workers = this.workers.map((worker) => urlOf(worker, 'postgres'));
    await distributeDatabase({ connectionString: server }, name, workers);
    // Reconnect, because the connections are older than the distribution.
    await dataSource.destroy();
    await dataSource.initialize();
    return {
      connection,
      url,
      dataSource,
      close: async () => {
        await dataSource.destroy();
        const ended = once(this.reaper, 'close');
        this.reaper.ref();
        this.reaper.stdin?.end();
        await ended;
      },
    };
  }

  /** The number of prepared transactions on the workers. */
  async prepared(): Promise<number> {
    const counts = this.workers.map(({ connection }) =>
      asAnotherProgram(connection, async (client) => {
        const { rows } = await client.query('select from pg_prepared_xacts');
        return rows.length;
      }),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count);
  }
}

async function makeNode(directory: string, address: string, account: ServerAccount): Promise<ClusterNode> {
  const { uid, gid } = account.owner;
  await mkdir(directory, { mode: 0o700 });
  await chown(directory, uid, gid);
  const data = path.join(directory, 'data');
  const initdb = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const [file, args] = commandFor(account, path.join(PROGRAMS, 'initdb'), initdb);
  const { code, output } = await runProgram(file, args, { cwd: directory, ...account.switchTo });
  if (code !== 0) throw new Error(`initdb: ${output}`);
  const settings = { ...SETTINGS, listen_addresses: address, unix_socket_directories: directory };
  const postgres = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [server, words] = commandFor(account, path.join(PROGRAMS, 'postgres'), ['-D', data, ...postgres]);
  return new ClusterNode(
    path.basename(directory),
    directory,
    [{ file: server, args: words, owner: account.switchTo }],
    '',
    { host: address, port: PORT, user: 'postgres', database: 'postgres' },
  );
}

function urlOf({ connection: { host, port, user } }: ClusterNode, database: string): string {
  return `postgres://${user}@${host}:${port}/${database}`;
}

/** `describe`, or `describe.skip` if CITUS_PROGRAMS is unset. */
export const describeOnCitus = PROGRAMS === '' ? skipping() : describe;

function skipping(): typeof describe.skip {
  const file = path.relative('.', expect.getState().testPath ?? '');
  process.stderr.write(
    `Skipped: ${file} needs CITUS_PROGRAMS, the directory of the programs of a PostgreSQL that has Citus.\n`,
  );
  return describe.skip;
}
