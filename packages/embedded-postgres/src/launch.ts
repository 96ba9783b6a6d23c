import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { locateBinaries } from './binaries.js';
import { type Transport, checkClusterVersion, createCluster, readClusterVersion } from './cluster.js';
import { EmbeddedPostgresError, dataDirectoryFailure, lastErrors } from './embedded-postgres-error.js';
import { type JoinedServer, joinServer } from './join-server.js';
import { type EmbeddedPostgresOptions, type LauncherOverrides } from './launcher-options.js';
import {
  type PostmasterFile,
  discardEmptyPostmasterFile,
  isServerProcess,
  processExists,
  readPostmasterFile,
} from './postmaster-file.js';
import {
  type Installation,
  type StartedServer,
  findPort,
  lostStartRace,
  startFailure,
  startServer,
  stopServer,
} from './server.js';
import { chooseServerAccount } from './server-account.js';
import { type UsageMark, isTransient } from './usage-mark.js';

const timeoutSeconds = 60;
const pollMilliseconds = 25;
const lostRacePauseMilliseconds = 100;

/**
 * Connects one process to the server of a data directory, starts the server if necessary, and stops the server if no
 * other process uses it.
 */
export class ServerLaunch {
  private readonly cluster: string;
  private readonly log: string;
  private readonly transport: Transport;
  private installation: Installation | undefined;
  private server: StartedServer | undefined;
  private announced = false;
  private lastProblem = '';

  constructor(
    private readonly dataDir: string,
    private readonly options: EmbeddedPostgresOptions,
    private readonly overrides: LauncherOverrides,
  ) {
    this.cluster = path.join(dataDir, 'postgres');
    this.log = path.join(dataDir, 'postgres.log');
    this.transport = overrides.transport ?? (process.platform === 'win32' ? 'tcp' : 'socket');
  }

  /** Polls the state of the server, because other processes may start or stop it at any moment. */
  async run(): Promise<JoinedServer> {
    const deadline = Date.now() + timeoutSeconds * 1000;
    while (Date.now() < deadline) {
      const file = await this.readPostmasterFile();
      const joined = file ? await this.join(file) : 'no server is running';
      if (typeof joined !== 'string') return joined;
      this.lastProblem = joined;
      if (!(await this.isStarting(file))) await this.start(file);
      await sleep(pollMilliseconds);
    }
    throw await this.timeoutError();
  }

  async leave(mark: UsageMark): Promise<void> {
    try {
      const current = mark.isLost ? await this.rejoin() : mark;
      await current?.leave(() => stopServer(this.cluster, () => this.install()));
    } catch (error) {
      // Another process has already stopped the server.
      if (!isTransient(error)) throw error;
    }
  }

  /** A crashed server restarts without our mark. We must still stop the server, so this method places a new mark. */
  private async rejoin(): Promise<UsageMark | undefined> {
    const file = await this.readPostmasterFile();
    const joined = file && (await this.join(file));
    return typeof joined === 'object' ? joined.mark : undefined;
  }

  private join(file: PostmasterFile): Promise<JoinedServer | string> {
    return joinServer(this.cluster, file, timeoutSeconds * 1000, this.options.port);
  }

  private async isStarting(file: PostmasterFile | undefined): Promise<boolean> {
    const ended = this.server?.ended;
    if (this.server !== undefined && ended === undefined) return true;
    if (this.server !== undefined && ended?.code !== 0) {
      const output = await this.server.output();
      if (!lostStartRace(output)) throw startFailure(this.server, output, this.log);
      this.lastProblem = lastErrors(output, 2);
      await sleep(lostRacePauseMilliseconds);
    }
    this.server = undefined;
    return file !== undefined && (await isServerProcess(this.cluster, file.pid));
  }

  private async start(file: PostmasterFile | undefined): Promise<void> {
    const port = await this.freePort();
    if (port === 'taken by our server') return;
    const installation = await this.install();
    if ((await readClusterVersion(this.cluster)) === undefined) {
      this.options.onProgress?.(`Creating the database in ${this.options.dataDir} (first start)`);
      await createCluster(this.dataDir, installation.binaries, installation.account, this.transport);
    }
    await checkClusterVersion(this.cluster, installation.binaries);
    if (!this.announced) this.options.onProgress?.('Starting the database');
    this.announced = true;
    await discardEmptyPostmasterFile(this.cluster);
    const foreignPid = file && processExists(file.pid) ? file.pid : undefined;
    this.server = await startServer(installation, port, foreignPid);
  }

  /** Returns undefined if the server needs no port, because it listens only on its socket. */
  private async freePort(): Promise<number | undefined | 'taken by our server'> {
    const wanted = this.options.port ?? (this.transport === 'tcp' ? 0 : undefined);
    if (wanted === undefined) return undefined;
    try {
      return await findPort(wanted);
    } catch (error) {
      // Another process may have started our server a moment ago.
      const file = await this.readPostmasterFile();
      if (file !== undefined && (await isServerProcess(this.cluster, file.pid))) return 'taken by our server';
      throw error;
    }
  }

  private async install(): Promise<Installation> {
    if (this.installation === undefined) {
      const { dataDir, cluster, log, transport } = this;
      const binaries = await locateBinaries();
      const paths = { dataDir, cluster, postgres: binaries.postgres };
      const account = await chooseServerAccount(paths, this.overrides.allowNamespaces);
      this.installation = { cluster, log, binaries, account, transport };
    }
    return this.installation;
  }

  private async readPostmasterFile(): Promise<PostmasterFile | undefined> {
    try {
      return await readPostmasterFile(this.cluster);
    } catch (error) {
      throw dataDirectoryFailure(this.dataDir, error);
    }
  }

  private async timeoutError(): Promise<EmbeddedPostgresError> {
    const pid = (await this.readPostmasterFile())?.pid;
    const isRunning = pid !== undefined && (await isServerProcess(this.cluster, pid));
    const log = await readFile(this.log, 'utf8').catch(() => '');
    return new EmbeddedPostgresError(
      `The database in ${this.cluster} did not respond within ${timeoutSeconds} s (${this.lastProblem}). ` +
        (isRunning ? `Its server is still running: stop process ${pid} and start again. ` : '') +
        `The end of ${this.log}: ${lastErrors(log)}`,
    );
  }
}
