import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { Connection } from '../../../src/database/connection.js';
import { createDataSource } from '../../../src/server/data-source.js';
import { locateBinaries } from '../../../packages/embedded-postgres/src/binaries.js';
import { createCluster, databaseUser } from '../../../packages/embedded-postgres/src/cluster.js';
import { programEnvironment } from '../../../packages/embedded-postgres/src/run-program.js';
import { chooseServerAccount, commandFor } from '../../../packages/embedded-postgres/src/server-account.js';
import { socketPort } from '../../../packages/embedded-postgres/src/socket-directory.js';
import { migrate } from '../../../src/migrations/migrate.js';
import { eventually } from '../../support/eventually.js';
import type { TestDatabase } from '../../support/test-database.js';

const PATIENCE = 30_000;

/** A PostgreSQL server of one test file, from the embedded binaries. Tests may kill the server or fill its disk. */
export class PostgresServer {
  private process: ChildProcess | undefined;

  private constructor(
    /** The data directory. */
    readonly cluster: string,
    private readonly dataDir: string,
    private readonly command: readonly [string, string[], { uid?: number; gid?: number } | undefined],
  ) {}

  /** Starts a server with a migrated database, in a folder below `parent`. `settings` are lines of postgresql.conf. */
  static async create(settings: readonly string[] = [], parent = tmpdir()): Promise<PostgresServer> {
    const server = await PostgresServer.initialize(settings, parent);
    await server.start();
    const dataSource = await createDataSource(server.connection, { size: 2, deadlines: false }).initialize();
    await migrate(dataSource);
    await dataSource.destroy();
    return server;
  }

  /** Creates an empty server without starting it. */
  static async initialize(settings: readonly string[] = [], parent = tmpdir()): Promise<PostgresServer> {
    return PostgresServer.at(await newDataDirectory(parent), settings);
  }

  /** Creates a replica of this server, which must be stopped. Starts neither server. */
  async replica(): Promise<PostgresServer> {
    const dataDir = await newDataDirectory(path.dirname(this.dataDir));
    await cp(this.cluster, path.join(dataDir, 'postgres'), { recursive: true });
    const { host, port, user } = this.connection;
    const replica = await PostgresServer.at(dataDir, [
      `primary_conninfo = 'host=${host} port=${port} user=${user}'`,
    ]);
    await writeFile(path.join(replica.cluster, 'standby.signal'), '');
    return replica;
  }

  private static async at(dataDir: string, settings: readonly string[]): Promise<PostgresServer> {
    const cluster = path.join(dataDir, 'postgres');
    const binaries = await locateBinaries();
    const account = await chooseServerAccount({ dataDir, cluster, postgres: binaries.postgres });
    if (!existsSync(cluster)) await createCluster(dataDir, binaries, account, 'socket');
    await appendFile(path.join(cluster, 'postgresql.conf'), `\n${settings.join('\n')}\n`);
    const places = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${cluster}`];
    const [file, args] = commandFor(account, binaries.postgres, ['-D', cluster, ...places]);
    return new PostgresServer(cluster, dataDir, [file, args, account.switchTo]);
  }

  /** The server's database as a `TestDatabase`. Closing it removes the server. */
  async database(): Promise<TestDatabase> {
    const { connection, url } = this;
    const dataSource = await createDataSource(connection, { size: 4, deadlines: false }).initialize();
    const close = async () => {
      await dataSource.destroy();
      await this.remove();
    };
    return { connection, url, dataSource, close };
  }

  get connection(): Connection {
    return { host: this.cluster, port: socketPort, user: databaseUser, database: 'postgres', ssl: false };
  }

  get url(): string {
    return `postgres://${databaseUser}@${encodeURIComponent(this.cluster)}:${socketPort}/postgres`;
  }

  /** The process id of the postmaster. */
  async pid(): Promise<number> {
    return Number((await readFile(path.join(this.cluster, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  }

  /** Resolves when the server accepts connections. After a crash, the server first recovers. */
  async start(): Promise<void> {
    await eventually('PostgreSQL answers', () => this.launchAndLook(), PATIENCE);
  }

  /** SIGTERM, SIGINT and SIGQUIT mean a smart, fast or immediate shutdown. SIGKILL is like a power failure. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const child = this.process;
    if (child === undefined || hasEnded(child)) return;
    const ended = once(child, 'exit');
    process.kill(await this.pid(), signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop('SIGQUIT');
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  private async launchAndLook(): Promise<boolean> {
    // After a SIGKILL, PostgreSQL does not start until the last process of the killed server has ended.
    if (this.process === undefined || hasEnded(this.process)) {
      const [file, args, owner] = this.command;
      const env = programEnvironment(process.env);
      this.process = spawn(file, args, { cwd: this.cluster, stdio: 'ignore', env, ...owner });
    }
    const client = new pg.Client(this.connection);
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function newDataDirectory(parent: string): Promise<string> {
  return mkdtemp(path.join(parent, 'ft-'));
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
