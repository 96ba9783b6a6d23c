import { spawn } from 'node:child_process';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeAfter } from '../process/close-all.js';
import { type PostgresBinaries } from './binaries.js';
import { loopback, prepareLoopback, type Transport } from './cluster.js';
import {
  EmbeddedPostgresError,
  dataDirectoryFailure,
  errorCode,
  programFailure,
} from './embedded-postgres-error.js';
import { isServerOf, readPostmasterFile } from './postmaster-file.js';
import { programEnvironment, runProgram } from './run-program.js';
import { type ServerAccount, commandFor } from './server-account.js';
import { prepareSocketDirectory, removeSocketDirectory, socketPort } from './socket-directory.js';

const logBytesKept = 10 * 1024 * 1024;
const stopSeconds = 60;

/** What is needed to start or stop a server. */
export interface Installation {
  cluster: string;
  log: string;
  binaries: PostgresBinaries;
  account: ServerAccount;
  transport: Transport;
}

export interface StartedServer {
  /** Undefined while the program runs; with TCP the program is pg_ctl, which ends with 0 once the server is up. */
  ended?: { code: number | null; reason: string };
  /** What the server has logged since this start. */
  output(): Promise<string>;
}

/**
 * Starts a server that outlives this process and does not keep it alive. Whether it works is for the caller to see.
 *
 * @param port of the loopback; undefined: it listens on its socket only
 */
export async function startServer(
  installation: Installation,
  port: number | undefined,
  foreignPid?: number,
): Promise<StartedServer> {
  const { cluster, account } = installation;
  const log = await openLog(installation);
  const start = async () => {
    const logStart = (await log.stat()).size;
    const [program, programArgs] = await serverCommand(installation, port);
    const [file, args] = commandFor(account, program, programArgs);
    const child = spawn(file, args, {
      cwd: cluster,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      windowsHide: true,
      env: {
        ...programEnvironment(process.env),
        // postmaster.pid may name a process that only has the number of a server long gone. PostgreSQL replaces the
        // file by itself, under its own interlocks, if told that this pid is an ancestor and hence no server.
        ...(foreignPid === undefined ? {} : { PG_GRANDPARENT_PID: String(foreignPid) }),
      },
      ...account.switchTo,
    });
    child.unref();
    const server: StartedServer = { output: () => readFrom(installation.log, logStart) };
    child.on('error', (error) => (server.ended = { code: 1, reason: error.message }));
    child.on('exit', (code, signal) => (server.ended = { code, reason: signal ?? `exit code ${code}` }));
    return server;
  };
  return closeAfter(start, [() => log.close()]);
}

async function serverCommand(
  { cluster, log, binaries, account, transport }: Installation,
  port: number | undefined,
): Promise<[string, string[]]> {
  if (transport === 'tcp') {
    // On Windows only pg_ctl can shed an administrator's rights, which the server refuses.
    return [binaries.pgCtl, ['start', '-D', cluster, '-l', log, '-w', '-t', '60', '-o', `-p ${port}`]];
  }
  const directory = await prepareSocketDirectory(cluster, account.owner);
  const quoted = `"${directory.replaceAll('"', '""')}"`;
  const places = ['-c', `unix_socket_directories=${quoted}`, '-p', String(port ?? socketPort)];
  const open =
    port === undefined
      ? ['-c', 'listen_addresses=']
      : [
          ...['-c', `listen_addresses=${loopback}`],
          ...['-c', `hba_file=${await prepareLoopback(cluster, account.owner)}`],
        ];
  return [binaries.postgres, ['-D', cluster, ...places, ...open]];
}

/** A fast stop, which ends all sessions. Returns when a new server could start. */
export async function stopServer(cluster: string, install: () => Promise<Installation>): Promise<void> {
  const file = await readPostmasterFile(cluster);
  // A server that isn't a process of this machine (a shared volume) is left to those who run it.
  if (file === undefined || !(await isServerOf(cluster, file.pid))) return;
  if (file.socketDirectory === undefined) {
    const { binaries, account } = await install();
    const stop = ['stop', '-D', cluster, '-m', 'fast', '-W'];
    const [program, args] = commandFor(account, binaries.pgCtl, stop);
    await runProgram(program, args, { cwd: cluster, ...account.switchTo });
  } else {
    signal(file.pid);
  }
  const deadline = Date.now() + stopSeconds * 1000;
  while ((await readPostmasterFile(cluster))?.pid === file.pid && (await isServerOf(cluster, file.pid))) {
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `The database in ${cluster} (pid ${file.pid}) did not stop within ${stopSeconds} s; it is left running.`,
      );
    }
    await sleep(20);
  }
  await removeSocketDirectory(file.socketDirectory);
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

const lostRaces = [
  /lock file ".*" (already exists|is empty)/,
  /pre-existing shared memory block .* is still in use/,
  /Address already in use/,
  // The socket's directory went with the server that another process has just stopped.
  /could not create lock file ".*": No such file or directory/,
];

/** Whether a server that ended at its start did so because of another one, so that it is worth looking again. */
export function lostToAnotherServer(output: string): boolean {
  return lostRaces.some((pattern) => pattern.test(output));
}

export function startFailure(server: StartedServer, output: string, log: string): EmbeddedPostgresError {
  return programFailure(`The database could not start (see ${log})`, output || (server.ended?.reason ?? ''));
}

async function openLog({ log, account }: Installation): Promise<FileHandle> {
  try {
    const opened = await open(log, 'a', 0o600);
    const { size, uid } = await opened.stat();
    if (size > logBytesKept) await opened.truncate();
    if (uid !== account.owner.uid) await opened.chown(account.owner.uid, account.owner.gid);
    return opened;
  } catch (error) {
    throw dataDirectoryFailure(path.dirname(log), error);
  }
}

async function readFrom(file: string, start: number): Promise<string> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  return bytes.subarray(bytes.length < start ? 0 : start).toString();
}

/** The port, if it is free; of 0, one that is. */
export function findPort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.on('error', (error) =>
      reject(
        new EmbeddedPostgresError(
          `The database cannot listen on port ${wanted} (${error.message}). Set another DATABASE_PORT.`,
        ),
      ),
    );
    probe.listen(wanted, loopback, () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
