import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { locateBinaries } from './binaries.js';
import {
  type Transport,
  checkClusterVersion,
  createCluster,
  databaseUser,
  readClusterVersion,
  readPassword,
} from './cluster.js';
import {
  EmbeddedPostgresError,
  dataDirectoryFailure,
  errorCode,
  errorText,
  lastComplaints,
} from './embedded-postgres-error.js';
import {
  type PostmasterFile,
  isServerOf,
  processExists,
  readPostmasterFile,
  samePlace,
} from './postmaster-file.js';
import {
  type Installation,
  type StartedServer,
  lostToAnotherServer,
  startFailure,
  startServer,
  stopServer,
} from './server.js';
import { chooseServerAccount } from './server-account.js';
import { type ServerAddress, UsageMark, isPassing } from './usage-mark.js';

const databaseName = 'formtrail';
const pollMilliseconds = 25;
const lostRacePauseMilliseconds = 100;

export interface EmbeddedPostgresOptions {
  /** Made if missing, with mode 0700. The cluster is in `postgres` below it, the server's log in `postgres.log`. */
  dataDir: string;
  onProgress?: (sentence: string) => void;
}

/** For tests: ways that are otherwise taken on other systems only. */
export interface LauncherOverrides {
  transport?: Transport;
  allowNamespaces?: boolean;
  /** Files from whose places the binaries are looked up. */
  resolveFrom?: string[];
  patienceSeconds?: number;
}

interface Joined {
  mark: UsageMark;
  connection: ServerAddress & { database: string };
}

/** One process's way to a running server, and away from it. */
export class Launch {
  private readonly cluster: string;
  private readonly log: string;
  private readonly transport: Transport;
  private readonly patienceSeconds: number;
  private installation: Installation | undefined;
  private server: StartedServer | undefined;
  private announced = false;
  private lastProblem = 'nobody listens';

  constructor(
    private readonly dataDir: string,
    private readonly options: EmbeddedPostgresOptions,
    private readonly overrides: LauncherOverrides,
  ) {
    this.cluster = path.join(dataDir, 'postgres');
    this.log = path.join(dataDir, 'postgres.log');
    this.transport = overrides.transport ?? (process.platform === 'win32' ? 'tcp' : 'socket');
    this.patienceSeconds = overrides.patienceSeconds ?? 60;
  }

  /** Looks again and again at what is there: other processes may start and stop the server at any moment. */
  async run(): Promise<Joined> {
    const deadline = Date.now() + this.patienceSeconds * 1000;
    while (Date.now() < deadline) {
      const file = await this.readPostmasterFile();
      const joined = file && (await this.join(file));
      if (joined) return joined;
      if (!(await this.isOnItsWay(file))) await this.start(file);
      await sleep(pollMilliseconds);
    }
    const log = await readFile(this.log, 'utf8').catch(() => '');
    throw new EmbeddedPostgresError(
      `The database in ${this.cluster} did not answer within ${this.patienceSeconds} s (${this.lastProblem}). ` +
        `The end of ${this.log}: ${lastComplaints(log)}`,
    );
  }

  async leave(mark: UsageMark): Promise<void> {
    try {
      const current = mark.isLost ? await this.rejoin() : mark;
      await current?.leave(() => stopServer(this.cluster, () => this.install()));
    } catch (error) {
      // Somebody else has stopped it meanwhile.
      if (!isPassing(error)) throw error;
    }
  }

  /** After a crash of the server, which restarts by itself, the mark is gone but not the duty to stop it. */
  private async rejoin(): Promise<UsageMark | undefined> {
    const file = await this.readPostmasterFile();
    return file && (await this.join(file))?.mark;
  }

  /** Undefined when there is no server of this cluster to talk to, or not yet. */
  private async join(file: PostmasterFile): Promise<Joined | undefined> {
    const address = await this.addressOf(file);
    if (address === undefined) return undefined;
    let mark: UsageMark | undefined;
    try {
      mark = await UsageMark.place(address, this.patienceSeconds * 1000);
      if (await this.isOurs(mark, file)) {
        await mark.ensureDatabase(databaseName);
        mark.rest();
        return { mark, connection: { ...address, database: databaseName } };
      }
    } catch (error) {
      if (!isPassing(error)) throw this.refusal(error);
      this.lastProblem = errorText(error);
    }
    await mark?.drop();
    return undefined;
  }

  private async addressOf(file: PostmasterFile): Promise<ServerAddress | undefined> {
    const { pid, port, socketDirectory, listenAddress } = file;
    if (port === undefined) return undefined;
    if (socketDirectory !== undefined) return { host: socketDirectory, port, user: databaseUser };
    // Unlike a socket, a port may by now be another program's.
    if (listenAddress === undefined || !(await isServerOf(this.cluster, pid))) return undefined;
    const host = listenAddress === '*' ? '127.0.0.1' : listenAddress;
    return { host, port, user: databaseUser, password: await readPassword(this.cluster) };
  }

  /** A data directory copied with its postmaster.pid leads to the server of the original. */
  private async isOurs(mark: UsageMark, file: PostmasterFile): Promise<boolean> {
    return (
      file.socketDirectory === this.cluster || (await samePlace(await mark.dataDirectory(), this.cluster))
    );
  }

  private async isOnItsWay(file: PostmasterFile | undefined): Promise<boolean> {
    const ended = this.server?.ended;
    if (this.server !== undefined && ended === undefined) return true;
    if (this.server !== undefined && ended?.code !== 0) {
      const output = await this.server.output();
      if (!lostToAnotherServer(output)) throw startFailure(this.server, output, this.log);
      this.lastProblem = lastComplaints(output, 2);
      await sleep(lostRacePauseMilliseconds);
    }
    this.server = undefined;
    return file !== undefined && (await isServerOf(this.cluster, file.pid));
  }

  private async start(file: PostmasterFile | undefined): Promise<void> {
    const installation = await this.install();
    if ((await readClusterVersion(this.cluster)) === undefined) {
      this.options.onProgress?.(`Creating the database in ${this.options.dataDir} (first start)`);
      await createCluster(this.dataDir, installation.binaries, installation.account, this.transport);
    }
    await checkClusterVersion(this.cluster, installation.binaries);
    if (!this.announced) this.options.onProgress?.('Starting the database');
    this.announced = true;
    const foreignPid = file && processExists(file.pid) ? file.pid : undefined;
    this.server = await startServer(installation, foreignPid);
  }

  private async install(): Promise<Installation> {
    if (this.installation === undefined) {
      const { dataDir, cluster, log, transport } = this;
      const binaries = await locateBinaries(this.overrides.resolveFrom);
      const places = { dataDir, cluster, postgres: binaries.postgres };
      const account = await chooseServerAccount(places, this.overrides.allowNamespaces);
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

  private refusal(error: unknown): EmbeddedPostgresError {
    if (errorCode(error) === 'EACCES') {
      return new EmbeddedPostgresError(
        `The database in ${this.cluster} is run by another user. Start as that user, or choose another data directory.`,
      );
    }
    return new EmbeddedPostgresError(
      `The database in ${this.cluster} refused the connection: ${errorText(error)}`,
    );
  }
}
