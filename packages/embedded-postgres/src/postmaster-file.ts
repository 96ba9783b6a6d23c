import { readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './embedded-postgres-error.js';
import { runProgram } from './run-program.js';

const emptyFileMilliseconds = 5000;

/** The contents of postmaster.pid. The server adds its addresses when it listens on them. */
export interface PostmasterFile {
  pid: number;
  port?: number;
  socketDirectory?: string;
  listenAddress?: string;
}

/** Parses the lines that PostgreSQL's src/include/utils/pidfile.h defines. Returns undefined if the file is not written yet. */
export function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const [pid, , , port, socketDirectory, listenAddress] = text.split('\n').map((line) => line.trim());
  // A server in single-user mode writes its pid with a minus sign.
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

/**
 * Removes an old empty postmaster.pid. A crash can leave the file empty, and then PostgreSQL never starts again. A new
 * empty file may belong to a starting server.
 */
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
 * Whether a process is a PostgreSQL server of this cluster. A false negative is safe: PostgreSQL's own lock, its shared memory
 * segment, still prevents two servers of one cluster.
 */
export async function isServerProcess(cluster: string, pid: number): Promise<boolean> {
  if (!processExists(pid)) return false;
  if (process.platform === 'win32') {
    const list = await runProgram('tasklist', ['/nh', '/fi', `PID eq ${pid}`]).catch(() => undefined);
    return list === undefined || /postgres/i.test(list.output);
  }
  const command = await commandLine(pid);
  if (!/postgres|postmaster/.test(command)) return false;
  const workingDirectory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  // The working directory of a server is its cluster. If we cannot read it, the command line of our servers has the full path.
  return workingDirectory === undefined ? command.includes(cluster) : workingDirectory === cluster;
}

/** Returns an empty text for a process that has ended or is a zombie. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const listed = await runProgram('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => undefined);
  return listed?.output ?? '';
}

export async function isSamePath(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((given) => realpath(given).catch(() => given)));
  return first === second;
}
