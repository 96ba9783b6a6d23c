import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import {
  access,
  chown,
  mkdir,
  open,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresBinaries } from './binaries.js';
import {
  EmbeddedPostgresError,
  dataDirectoryFailure,
  errorCode,
  programFailure,
  useOwnServer,
} from './embedded-postgres-error.js';
import { processExists } from './postmaster-file.js';
import { runProgram } from './run-program.js';
import { type Owner, type ServerAccount, commandFor } from './server-account.js';

/**
 * How clients connect to the server. The mode of its directory protects a socket. TCP, used on Windows, is open to all
 * local users and needs a password.
 */
export type Transport = 'socket' | 'tcp';

export const databaseUser = 'formtrail';
export const loopback = '127.0.0.1';
const passwordFile = 'formtrail-password';
const unfinished = /^postgres\.new-(\d+)-/;

const settings = [
  ...['max_connections=100', 'shared_buffers=64MB', 'TimeZone=UTC', 'log_timezone=UTC'],
  // A checkpoint would log a line every five minutes, and only a start truncates the log.
  'log_checkpoints=off',
  'unix_socket_permissions=0700',
];

/** Creates the data directory and returns its real path, which is the same for all processes. */
export async function prepareDataDirectory(directory: string): Promise<string> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
    return await realpath(directory);
  } catch (error) {
    throw dataDirectoryFailure(directory, error);
  }
}

/** Returns the PostgreSQL version that created the cluster, or undefined if there is no cluster yet. */
export async function readClusterVersion(cluster: string): Promise<string | undefined> {
  try {
    return (await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw dataDirectoryFailure(cluster, error);
  }
}

export async function checkClusterVersion(cluster: string, binaries: PostgresBinaries): Promise<void> {
  const version = await readClusterVersion(cluster);
  if (version === String(binaries.majorVersion)) return;
  throw new EmbeddedPostgresError(
    `The database in ${cluster} was created by PostgreSQL ${version ?? '(unknown)'}, but this is ${binaries.majorVersion}. ` +
      `Dump it with the old version and load it into a new data directory, or ${useOwnServer}.`,
  );
}

/**
 * Creates the cluster in a temporary directory and renames it, so that no process uses an unfinished cluster. If
 * several processes create clusters at once, the first process succeeds, and all others delete their clusters.
 */
export async function createCluster(
  dataDir: string,
  binaries: PostgresBinaries,
  account: ServerAccount,
  transport: Transport,
): Promise<void> {
  const cluster = path.join(dataDir, 'postgres');
  await rejectOtherFiles(cluster);
  await removeUnfinished(dataDir);
  const scratch = path.join(dataDir, `postgres.new-${process.pid}-${randomBytes(4).toString('hex')}`);
  const password = `${scratch}.password`;
  try {
    if (transport === 'tcp') {
      await writeFile(password, newPassword(), { mode: 0o600 });
      await chown(password, account.owner.uid, account.owner.gid);
    }
    await runInitdb(scratch, binaries, account, transport === 'tcp' ? password : undefined);
    if (transport === 'tcp') await rename(password, path.join(scratch, passwordFile));
    await moveIntoPlace(scratch, cluster);
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? error : dataDirectoryFailure(dataDir, error);
  } finally {
    await removeTree(scratch);
    await removeTree(password);
  }
}

export async function readPassword(cluster: string): Promise<string | undefined> {
  return readFile(path.join(cluster, passwordFile), 'utf8').catch(() => undefined);
}

/**
 * Writes PostgreSQL's file of access rules, which requires the password on the loopback interface but not on the
 * socket. Returns the path of the file.
 */
export async function prepareLoopback(cluster: string, owner: Owner): Promise<string> {
  const write = async (name: string, text: string) => {
    const file = path.join(cluster, name);
    await writeFile(file, text, { mode: 0o600 });
    await chown(file, owner.uid, owner.gid);
    return file;
  };
  if ((await readPassword(cluster)) === undefined) await write(passwordFile, newPassword());
  return write('formtrail-hba.conf', `local all all trust\nhost all all ${loopback}/32 scram-sha-256\n`);
}

const newPassword = () => randomBytes(24).toString('base64url');

async function runInitdb(
  directory: string,
  binaries: PostgresBinaries,
  account: ServerAccount,
  passwordSource: string | undefined,
): Promise<void> {
  const authentication =
    passwordSource === undefined
      ? ['--auth-local=trust', '--auth-host=reject']
      : ['--auth=scram-sha-256', `--pwfile=${passwordSource}`];
  const addresses =
    passwordSource === undefined
      ? ['listen_addresses=']
      : [`listen_addresses=${loopback}`, 'unix_socket_directories='];
  const [file, args] = commandFor(account, binaries.initdb, [
    ...['-D', directory, '-U', databaseUser, '--no-instructions', ...authentication],
    // This locale is part of PostgreSQL, so letter case and character classes are the same on every operating system.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...[...settings, ...addresses].flatMap((setting) => ['--set', setting]),
  ]);
  const { code, output } = await runProgram(file, args, {
    cwd: path.dirname(directory),
    ...account.switchTo,
  });
  if (code !== 0)
    throw programFailure(`The database could not be created in ${path.dirname(directory)}`, output);
}

async function moveIntoPlace(scratch: string, cluster: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rename(scratch, cluster);
      break;
    } catch (error) {
      if (existsSync(path.join(cluster, 'PG_VERSION'))) return;
      await rejectOtherFiles(cluster);
      // On Windows, a virus scanner may keep new files open for a moment.
      if (process.platform !== 'win32' || attempt === 20) throw error;
      await sleep(100);
    }
  }
  await flush(path.dirname(cluster));
}

async function rejectOtherFiles(cluster: string): Promise<void> {
  const files = await readdir(cluster).catch((): string[] => []);
  if (files.length === 0 || files.includes('PG_VERSION')) return;
  throw new EmbeddedPostgresError(
    `${cluster} has files that are not a PostgreSQL database. Move it away and start again.`,
  );
}

/**
 * Writes the directory to the disk. Otherwise a power failure could undo the renaming of a cluster that already
 * contains submissions.
 */
async function flush(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const opened = await open(directory, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const pid = Number(unfinished.exec(name)?.[1]);
    if (pid > 0 && !processExists(pid)) await removeTree(path.join(dataDir, name));
  }
}

/** Ignores failures, for example because an orphaned initdb is still writing. A later start removes the rest. */
async function removeTree(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}
