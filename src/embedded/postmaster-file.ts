import { readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './embedded-postgres-error.js';
import { runProgram } from './run-program.js';

const emptyFileMilliseconds = 5000;

/** What a running server says of itself in postmaster.pid. Where it listens is added once it does. */
export interface PostmasterFile {
  pid: number;
  port?: number;
  socketDirectory?: string;
  listenAddress?: string;
}

/** The lines are those of PostgreSQL's src/include/utils/pidfile.h. Undefined for a file that is still being written. */
export function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const [pid, , , port, socketDirectory, listenAddress] = text.split('\n').map((line) => line.trim());
  // A server run by hand in single-user mode writes its pid with a minus.
  const number = Math.abs(Number(pid));
  if (!Number.isInteger(number) || number === 0) return undefined;
  return {
    pid: number,
    port: Number(port) || undefined,
    socketDirectory: socketDirectory || undefined,
    listenAddress: listenAddress || undefined,
  };
}

export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  try {
    return parsePostmasterFile(await readFile(path.join(cluster, 'postmaster.pid'), 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A crash can leave the file empty, and PostgreSQL refuses that for ever. A server that starts fills it at once. */
export async function discardEmptyPostmasterFile(cluster: string): Promise<void> {
  const file = path.join(cluster, 'postmaster.pid');
  const found = await stat(file).catch(() => undefined);
  if (found?.size === 0 && Date.now() - found.mtimeMs > emptyFileMilliseconds)
    await rm(file, { force: true });
}

export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Whether a process is a PostgreSQL server of this cluster. A wrong "no" is safe: PostgreSQL's second interlock, its
 * shared memory segment, still keeps two servers apart.
 */
export async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  if (!processExists(pid)) return false;
  if (process.platform === 'win32') {
    const list = await runProgram('tasklist', ['/nh', '/fi', `PID eq ${pid}`]).catch(() => undefined);
    return list === undefined || /postgres/i.test(list.output);
  }
  const command = await commandLine(pid);
  if (!/postgres|postmaster/.test(command)) return false;
  const workingDirectory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  // A server works in its cluster. Where that can't be seen, it was this launcher that named the cluster's full path.
  return workingDirectory === undefined ? command.includes(cluster) : workingDirectory === cluster;
}

/** Empty for a process that is gone or a zombie. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const listed = await runProgram('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => undefined);
  return listed?.output ?? '';
}

export async function samePlace(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((place) => realpath(place).catch(() => place)));
  return first === second;
}
