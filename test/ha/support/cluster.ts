import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Connection } from '../../../src/database/connection.js';
import { createDataSource } from '../../../src/server/data-source.js';
import { chooseServerAccount } from '../../../packages/embedded-postgres/src/server-account.js';
import { migrate } from '../../../src/migrations/migrate.js';
import { eventually } from '../../support/eventually.js';
import type { TestDatabase } from '../../support/test-database.js';
import { asAnotherProgram } from '../../support/test-server.js';
import { type ClusterNode, launch } from './cluster-node.js';
import { Places, PORTS, SERVICE, SUPERUSER } from './places.js';
import { postgresPrograms } from './programs.js';

const NODES = ['node1', 'node2', 'node3'];
/** Milliseconds to wait for the cluster to settle, enough for a busy machine. */
const PATIENCE = 60_000;

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

/** The cluster's state as one node reports it. */
interface View {
  readonly members: readonly Member[];
}

/**
 * deploy/patroni on this machine: three nodes with PostgreSQL, Patroni and etcd each, behind HAProxy and PgBouncer.
 * Only addresses, ports and directories differ.
 */
export class Cluster {
  private constructor(
    private readonly reaper: ChildProcess,
    readonly nodes: readonly ClusterNode[],
    private readonly address: string,
    private readonly ports: typeof PORTS,
  ) {}

  static async start(): Promise<Cluster> {
    const directory = await mkdtemp(path.join(tmpdir(), 'ft-ha-'));
    const reaper = startReaper(directory);
    const postgres = path.join(postgresPrograms ?? '', 'postgres');
    const account = await chooseServerAccount({
      dataDir: directory,
      cluster: path.join(directory, 'node1/data'),
      postgres,
    });
    const network = `127.${byte()}.${byte()}`;
    const ports = await freePorts(`${network}.1`);
    const places = new Places(directory, network, ports, account);
    const nodes = await Promise.all(NODES.map((name, index) => places.node(name, `${network}.${index + 1}`)));
    const cluster = new Cluster(reaper, nodes, `${network}.4`, ports);
    for (const node of nodes) node.start();
    launch(await places.directoryOf('haproxy'), await places.haproxy());
    launch(await places.directoryOf('pgbouncer'), await places.pgbouncer());
    return cluster;
  }

  /** The connection to the primary through HAProxy. */
  get connection(): Connection {
    return { host: this.address, port: this.ports.haproxy, ...SERVICE };
  }

  /** The URL of the primary through PgBouncer and HAProxy. */
  get pooledUrl(): string {
    return urlOf({ ...this.connection, port: this.ports.pgbouncer });
  }

  /** Waits for a primary, and creates a migrated database on it. Dropping the database ends the cluster. */
  async database(): Promise<TestDatabase> {
    await this.settled();
    const { host, port } = this.connection;
    await eventually(
      'HAProxy leads to the primary',
      () => canConnect({ host, port, ...SUPERUSER }),
      PATIENCE,
    );
    await asAnotherProgram({ host, port, ...SUPERUSER }, async (client) => {
      await client.query(`create role ${SERVICE.user} login password '${SERVICE.password}'`);
      await client.query(`create database ${SERVICE.database} owner ${SERVICE.user}`);
    });
    const dataSource = await createDataSource(this.connection, { size: 2, deadlines: false }).initialize();
    await migrate(dataSource);
    return {
      connection: this.connection,
      url: urlOf(this.connection),
      dataSource,
      close: async () => {
        await dataSource.destroy();
        await this.close();
      },
    };
  }

  /** Waits until a failover is possible: all nodes follow the primary, one synchronously. Returns the primary. */
  async settled(): Promise<ClusterNode> {
    let views: readonly View[] = [];
    const look = async () => {
      views = await this.views();
      const names = new Set(views.map(({ members }) => leaderOf(members)?.name));
      const isWhole = views.length === this.nodes.length && names.size === 1 && views.every(isSettled);
      return isWhole ? this.nodes.find(({ name }) => names.has(name)) : undefined;
    };
    return eventually('the cluster settles', look, PATIENCE).catch((cause: unknown) => {
      throw new Error(`The cluster does not settle: ${JSON.stringify(views)}`, { cause });
    });
  }

  /** Waits until a node other than `node` is the primary, and returns the primary. */
  async successorOf(node: ClusterNode): Promise<ClusterNode> {
    const look = async () => {
      const names = (await this.views()).map(({ members }) => leaderOf(members)?.name);
      return this.nodes.find(({ name }) => names.includes(name) && name !== node.name);
    };
    return eventually(`another primary than ${node.name}`, look, PATIENCE);
  }

  /** Resolves after the switchover, because Patroni responds only then. */
  async switchOver(from: ClusterNode): Promise<void> {
    const response = await fetch(`${from.url}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: from.name }),
      signal: AbortSignal.timeout(PATIENCE),
    });
    expect(await response.text()).toContain('Successfully switched over');
  }

  /** The `application_name` of each connection of the service to a node. */
  async connectionsTo({ connection }: ClusterNode): Promise<string[]> {
    return asAnotherProgram(connection, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select application_name as name from pg_stat_activity where usename = $1`,
        [SERVICE.user],
      );
      return rows.map(({ name }) => name);
    });
  }

  async close(): Promise<void> {
    const ended = once(this.reaper, 'close');
    this.reaper.ref();
    this.reaper.stdin?.end();
    await ended;
  }

  /** The views of all nodes that respond. A node that was frozen may have an outdated view. */
  private async views(): Promise<View[]> {
    const asked = this.nodes.map(async ({ url }) => {
      const response = await fetch(`${url}/cluster`, { signal: AbortSignal.timeout(1_000) });
      return (await response.json()) as View;
    });
    return (await Promise.allSettled(asked)).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
  }
}

function leaderOf(members: readonly Member[]): Member | undefined {
  return members.find(({ role }) => role === 'leader');
}

function isSettled({ members }: View): boolean {
  const timeline = leaderOf(members)?.timeline;
  return (
    members.length === NODES.length &&
    members.some(({ role }) => role === 'sync_standby') &&
    // Newer versions of Patroni call a standby that follows its primary "streaming".
    members.every((member) => /^(running|streaming)$/.test(member.state) && member.timeline === timeline)
  );
}

/** Starts a process that ends the cluster when this process ends. A separate session protects it from Ctrl-C. */
export function startReaper(directory: string): ChildProcess {
  const reaper = spawn(path.join(__dirname, 'reap.sh'), [directory], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
  });
  reaper.unref();
  (reaper.stdin as Socket).unref();
  return reaper;
}

function urlOf({ host, port, user, password, database }: Connection): string {
  return `postgres://${user}:${password as string}@${host}:${port}/${database}`;
}

export function canConnect(connection: Connection): Promise<boolean> {
  return asAnotherProgram(connection, (client) => client.query('select 1')).then(
    () => true,
    () => false,
  );
}

/** A random byte for a loopback address that is probably unused. */
export function byte(): number {
  return 1 + Math.floor(Math.random() * 250);
}

async function freePorts(address: string): Promise<typeof PORTS> {
  const servers = await Promise.all(
    Object.keys(PORTS).map(async (what) => {
      const server = createServer().listen(0, address);
      await once(server, 'listening');
      return [what, server] as const;
    }),
  );
  const ports = servers.map(([what, server]) => [what, (server.address() as AddressInfo).port]);
  await Promise.all(
    servers.map(async ([, server]) => {
      server.close();
      await once(server, 'close');
    }),
  );
  return Object.fromEntries(ports) as typeof PORTS;
}
