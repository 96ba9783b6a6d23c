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

/** As whom initdb and postgres run. Both refuse root; initdb also refuses a uid that has no name. */
export interface ServerAccount {
  /** Whose the files are. */
  owner: Owner;
  /** Set when root hands over to the owner. */
  switchTo?: Owner;
  /** Words put before the command: a user namespace in which this very user has another number. */
  prefix: string[];
}

export interface ServerPlaces {
  dataDir: string;
  cluster: string;
  postgres: string;
}

/** The program and its arguments as an account has to call them. */
export function commandFor(account: ServerAccount, program: string, args: string[]): [string, string[]] {
  const [wrapper, ...rest] = account.prefix;
  return wrapper === undefined ? [program, args] : [wrapper, [...rest, program, ...args]];
}

/** Decides as whom the server runs, and makes the data directory (and a cluster of root's) that account's own. */
export async function chooseServerAccount(
  places: ServerPlaces,
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
  const account = await accountForRoot(places, allowNamespaces);
  await handOver(places, account.owner);
  return account;
}

async function accountForRoot(places: ServerPlaces, allowNamespaces: boolean): Promise<ServerAccount> {
  const clusterOwner = ownerOf(places.cluster);
  if (clusterOwner !== undefined && clusterOwner.uid !== 0) return switchTo(clusterOwner, places);
  const dataDirOwner = namedOwner(ownerOf(places.dataDir));
  if (clusterOwner === undefined && dataDirOwner !== undefined && !closedTo(dataDirOwner, places)) {
    return switchTo(dataDirOwner, places);
  }
  const prefix = allowNamespaces ? await namespacePrefix() : undefined;
  if (prefix !== undefined) return { owner: { uid: 0, gid: process.getegid?.() ?? 0 }, prefix };
  const users = unprivilegedUsers(passwd());
  return switchTo(users.find(({ name }) => name === 'nobody') ?? { uid: 65534, gid: 65534 }, places);
}

function closedTo(owner: Owner, { postgres, dataDir }: ServerPlaces): string | undefined {
  return closedPath(postgres, owner) ?? closedPath(path.dirname(dataDir), owner);
}

function switchTo({ uid, gid }: Owner, places: ServerPlaces): ServerAccount {
  const owner = { uid, gid };
  const closed = closedTo(owner, places);
  if (closed === undefined) return { owner, switchTo: owner, prefix: [] };
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and ${closed} is closed to the user it would run as (uid ${owner.uid}). ` +
      `Start as an ordinary user, or ${useOwnServer}.`,
  );
}

/** The first part of a path through which an account may not go, judged by modes alone. */
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

/** The users of an /etc/passwd other than root. */
export function unprivilegedUsers(passwdText: string): (Owner & { name: string })[] {
  return passwdText
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid || 0), gid: Number(gid || 0) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
}

/** `unshare` of util-linux, if it may be used here. Containers often forbid it; busybox's has no --map-user. */
async function namespacePrefix(): Promise<string[] | undefined> {
  // Not nobody: in a namespace that number also stands for every user who has no other there.
  const user = unprivilegedUsers(passwd()).find(({ name }) => name !== 'nobody');
  if (process.platform !== 'linux' || user === undefined) return undefined;
  const prefix = ['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`];
  const probe = await runProgram('unshare', [...prefix.slice(1), 'true']).catch(() => undefined);
  return probe?.code === 0 ? prefix : undefined;
}

async function handOver({ dataDir, cluster }: ServerPlaces, owner: Owner): Promise<void> {
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
  // Last, because its owner tells that the whole tree has been handed over.
  await lchown(root, uid, gid);
}

function ownerOf(file: string): Owner | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found && { uid: found.uid, gid: found.gid };
}

/** The owner of a mounted directory may be a number that means nothing here; initdb would refuse it. */
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
