import { lstatSync, readFileSync, statSync } from 'node:fs';
import { chown, lchown, readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { EmbeddedPostgresError, dataDirectoryFailure, useOwnServer } from './embedded-postgres-error.js';
import { runProgram } from './run-program.js';

export interface Owner {
  uid: number;
  gid: number;
}

/**
 * The user that runs initdb and postgres. Both programs refuse to run as root. initdb also refuses a uid without a
 * name.
 */
export interface ServerAccount {
  /** The owner of the files. */
  owner: Owner;
  /** Set if this process is root and runs the programs as the owner. */
  switchTo?: Owner;
  /** The start of a command line that runs the program in a user namespace, where this user has another uid. */
  prefix: string[];
}

export interface ServerPaths {
  dataDir: string;
  cluster: string;
  postgres: string;
}

/** Returns the command and the arguments that run a program with this account. */
export function commandFor(account: ServerAccount, program: string, args: string[]): [string, string[]] {
  const [wrapper, ...rest] = account.prefix;
  return wrapper === undefined ? [program, args] : [wrapper, [...rest, program, ...args]];
}

/** Chooses the user that runs the server. If this process is root, that user becomes the owner of the data directory and cluster. */
export async function chooseServerAccount(
  paths: ServerPaths,
  allowNamespaces = true,
): Promise<ServerAccount> {
  const self: Owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  if (process.geteuid === undefined) return { owner: self, prefix: [] };
  if (self.uid !== 0) {
    if (hasName()) return { owner: self, prefix: [] };
    const prefix = allowNamespaces ? await namespacePrefix() : undefined;
    if (prefix !== undefined) return { owner: self, prefix };
    throw new EmbeddedPostgresError(
      `PostgreSQL needs a user with a name, and uid ${self.uid} has none in /etc/passwd. ` +
        `Add it there, run as another user, or ${useOwnServer}.`,
    );
  }
  const account = await accountForRoot(paths, allowNamespaces);
  await handOver(paths, account.owner);
  return account;
}

async function accountForRoot(paths: ServerPaths, allowNamespaces: boolean): Promise<ServerAccount> {
  const clusterOwner = ownerOf(paths.cluster);
  if (clusterOwner !== undefined && clusterOwner.uid !== 0) return switchTo(clusterOwner, paths);
  const dataDirOwner = namedOwner(ownerOf(paths.dataDir));
  if (clusterOwner === undefined && dataDirOwner !== undefined && !closedTo(dataDirOwner, paths)) {
    return switchTo(dataDirOwner, paths);
  }
  const prefix = allowNamespaces ? await namespacePrefix() : undefined;
  if (prefix !== undefined) return { owner: { uid: 0, gid: process.getegid?.() ?? 0 }, prefix };
  const users = unprivilegedUsers(passwd());
  return switchTo(users.find(({ name }) => name === 'nobody') ?? { uid: 65534, gid: 65534 }, paths);
}

function closedTo(owner: Owner, { postgres, dataDir }: ServerPaths): string | undefined {
  return closedPath(postgres, owner) ?? closedPath(path.dirname(dataDir), owner);
}

function switchTo({ uid, gid }: Owner, paths: ServerPaths): ServerAccount {
  const owner = { uid, gid };
  const closed = closedTo(owner, paths);
  if (closed === undefined) return { owner, switchTo: owner, prefix: [] };
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and the user that would run it (uid ${owner.uid}) has no access to ${closed}. ` +
      `Start as an ordinary user, or ${useOwnServer}.`,
  );
}

/** Returns the first directory or file on a path whose mode denies access to an account. */
export function closedPath(target: string, account: Owner): string | undefined {
  const parts = target
    .split(path.sep)
    .map((_, index, all) => all.slice(0, index + 1).join(path.sep) || path.sep);
  return parts.find((part) => {
    const { uid, gid, mode } = statSync(part);
    if (uid === account.uid) return (mode & 0o100) === 0;
    return (mode & (gid === account.gid ? 0o010 : 0o001)) === 0;
  });
}

/** Returns all users of an /etc/passwd except root. */
export function unprivilegedUsers(passwdText: string): (Owner & { name: string })[] {
  return passwdText
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid || 0), gid: Number(gid || 0) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
}

/**
 * Returns the start of an `unshare` command line, or undefined if `unshare` does not work here. Containers often
 * forbid it, and busybox's unshare has no --map-user.
 */
async function namespacePrefix(): Promise<string[] | undefined> {
  // The user must not be nobody, because in a namespace the uid of nobody also means every user that is not mapped.
  const user = unprivilegedUsers(passwd()).find(({ name }) => name !== 'nobody');
  if (process.platform !== 'linux' || user === undefined) return undefined;
  const prefix = ['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`];
  const probe = await runProgram('unshare', [...prefix.slice(1), 'true']).catch(() => undefined);
  return probe?.code === 0 ? prefix : undefined;
}

async function handOver({ dataDir, cluster }: ServerPaths, owner: Owner): Promise<void> {
  try {
    if (ownerOf(dataDir)?.uid !== owner.uid) await chown(dataDir, owner.uid, owner.gid);
    const clusterOwner = ownerOf(cluster);
    if (clusterOwner !== undefined && clusterOwner.uid !== owner.uid) await chownTree(cluster, owner);
  } catch (error) {
    throw dataDirectoryFailure(dataDir, error);
  }
}

async function chownTree(root: string, { uid, gid }: Owner): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) await lchown(path.join(entry.parentPath, entry.name), uid, gid);
  // Change the root of the tree last, because its owner shows whether all of the tree has been changed.
  await lchown(root, uid, gid);
}

function ownerOf(file: string): Owner | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found && { uid: found.uid, gid: found.gid };
}

/**
 * Returns undefined if no user here has the owner's uid, because initdb would reject it. A mounted directory can have
 * such an owner.
 */
function namedOwner(owner: Owner | undefined): Owner | undefined {
  return unprivilegedUsers(passwd()).some(({ uid }) => uid === owner?.uid) ? owner : undefined;
}

function hasName(): boolean {
  try {
    return os.userInfo().username !== '';
  } catch {
    return false;
  }
}

function passwd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}
