import { spawn } from 'node:child_process';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresBinaries } from './binaries.js';
import { loopback, prepareLoopback, type Transport } from './cluster.js';
import {
  EmbeddedPostgresError,
  dataDirectoryFailure,
  errorCode,
  programFailure,
} from './embedded-postgres-error.js';
import { isServerProcess, readPostmasterFile } from './postmaster-file.js';
import { programEnvironment, runProgram } from './run-program.js';
import { type ServerAccount, commandFor } from './server-account.js';
import { prepareSocketDirectory, removeSocketDirectory, socketPort } from './socket-directory.js';

const maxLogBytes = 10 * 1024 * 1024;
const stopSeconds = 60;

/** The parameters of starting and stopping a server. */
export interface Installation {
  cluster: string;
  log: string;
  binaries: PostgresBinaries;
  account: ServerAccount;
  transport: Transport;
}

export interface StartedServer {
  /** How the program ended, or undefined while it runs. With TCP, the program is pg_ctl: code 0 means that the server is ready. */
  ended?: { code: number | null; reason: string };
  /** Returns the server's log since this start. */
  output(): Promise<string>;
}

/**
 * Starts a server that may outlive this process, and does not keep this process alive. The caller must check that the server works.
 *
 * @param port the port on the loopback; undefined: the server listens only on its socket
 * @param foreignPid the pid in postmaster.pid, if it belongs to another program
 */
export async function startServer(
  installation: Installation,
  port: number | undefined,
  foreignPid?: number,
): Promise<StartedServer> {
  const { cluster, account } = installation;
  const log = await openLog(installation);
  try {
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
        // After a server has ended, another program may have the pid that is still in postmaster.pid. PostgreSQL
        // replaces the file safely if this variable says that the other program is an ancestor, and therefore not a
        // server.
        ...(foreignPid === undefined ? {} : { PG_GRANDPARENT_PID: String(foreignPid) }),
      },
      ...account.switchTo,
    });
    child.unref();
    const server: StartedServer = { output: () => readFrom(installation.log, logStart) };
    child.on('error', (error) => (server.ended = { code: 1, reason: error.message }));
    child.on('exit', (code, signal) => (server.ended = { code, reason: signal ?? `exit code ${code}` }));
    return server;
  } finally {
    await log.close();
  }
}

async function serverCommand(
  { cluster, log, binaries, account, transport }: Installation,
  port: number | undefined,
): Promise<[string, string[]]> {
  if (transport === 'tcp') {
    // On Windows, the server rejects an administrator's rights, and only pg_ctl can drop them.
    return [binaries.pgCtl, ['start', '-D', cluster, '-l', log, '-w', '-t', '60', '-o', `-p ${port}`]];
  }
  const directory = await prepareSocketDirectory(cluster, account.owner);
  const quoted = `"${directory.replaceAll('"', '""')}"`;
  const socket = ['-c', `unix_socket_directories=${quoted}`, '-p', String(port ?? socketPort)];
  const addresses =
    port === undefined
      ? ['-c', 'listen_addresses=']
      : [
          ...['-c', `listen_addresses=${loopback}`],
          ...['-c', `hba_file=${await prepareLoopback(cluster, account.owner)}`],
        ];
  return [binaries.postgres, ['-D', cluster, ...socket, ...addresses]];
}

/** Stops the server in fast mode, which ends all sessions. Returns when a new server can start. */
export async function stopServer(cluster: string, install: () => Promise<Installation>): Promise<void> {
  const file = await readPostmasterFile(cluster);
  // On a shared volume, the server may be a process of another machine, and only that machine can stop it.
  if (file === undefined || !(await isServerProcess(cluster, file.pid))) return;
  if (file.socketDirectory === undefined) {
    const { binaries, account } = await install();
    const stop = ['stop', '-D', cluster, '-m', 'fast', '-W'];
    const [program, args] = commandFor(account, binaries.pgCtl, stop);
    await runProgram(program, args, { cwd: cluster, ...account.switchTo });
  } else {
    signal(file.pid);
  }
  const deadline = Date.now() + stopSeconds * 1000;
  while (
    (await readPostmasterFile(cluster))?.pid === file.pid &&
    (await isServerProcess(cluster, file.pid))
  ) {
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `The database in ${cluster} (pid ${file.pid}) did not stop within ${stopSeconds} s. It is still running.`,
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

const lostRacePatterns = [
  /lock file ".*" (already exists|is empty)/,
  /pre-existing shared memory block .* is still in use/,
  /Address already in use/,
  // Another process has just stopped its server and removed the socket's directory.
  /could not create lock file ".*": No such file or directory/,
];

/** Whether a server failed to start because the cluster has another server, which this process can join. */
export function lostStartRace(output: string): boolean {
  return lostRacePatterns.some((pattern) => pattern.test(output));
}

export function startFailure(server: StartedServer, output: string, log: string): EmbeddedPostgresError {
  return programFailure(`The database could not start (see ${log})`, output || (server.ended?.reason ?? ''));
}

async function openLog({ log, account }: Installation): Promise<FileHandle> {
  try {
    const opened = await open(log, 'a', 0o600);
    const { size, uid } = await opened.stat();
    if (size > maxLogBytes) await opened.truncate();
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

/** Returns `wanted` if that port is free, or any free port for 0. Rejects if the port is not free. */
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
