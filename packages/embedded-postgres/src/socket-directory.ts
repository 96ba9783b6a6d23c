import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, rmdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { EmbeddedPostgresError, errorCode } from './embedded-postgres-error.js';
import { type Owner } from './server-account.js';

/** The port of a server that listens only on its socket. It is not a TCP port, only a part of the socket's name. */
export const socketPort = 5432;
/** The name of the socket ends with the server's port, which has up to five digits. */
const longestPort = 65_535;
const shortPrefix = 'formtrail-';

/** The path of a socket has at most 107 bytes on Linux, and 103 on macOS and the BSDs (sun_path without its final zero). */
export function socketPathFits(directory: string, platform: NodeJS.Platform = process.platform): boolean {
  const bytes = Buffer.byteLength(path.join(directory, `.s.PGSQL.${longestPort}`));
  return bytes <= (platform === 'linux' ? 107 : 103);
}

/**
 * Returns the directory for the server's socket. Normally the socket is in the cluster's directory, because PostgreSQL
 * enforces mode 0700 or 0750 for it. If the path of the cluster is too long, the socket is in a private directory in
 * the temporary directory.
 */
export async function prepareSocketDirectory(cluster: string, owner: Owner): Promise<string> {
  if (socketPathFits(cluster)) return cluster;
  const directory = shortDirectory(cluster, owner.uid);
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  const found = await lstat(directory);
  // An attacker may have created the directory, to intercept connections.
  const trusted = found.isDirectory() && (found.uid === owner.uid || found.uid === process.geteuid?.());
  if (!trusted) {
    throw new EmbeddedPostgresError(
      `${directory}, the directory for the database's socket, belongs to another user. Remove it, or set TMPDIR.`,
    );
  }
  if ((found.mode & 0o777) !== 0o700) await chmod(directory, 0o700);
  if (found.uid !== owner.uid) await chown(directory, owner.uid, owner.gid);
  return directory;
}

function shortDirectory(cluster: string, uid: number): string {
  const hash = createHash('sha256').update(cluster).digest('hex').slice(0, 16);
  const name = `${shortPrefix}${uid}-${hash}`;
  const preferred = path.join(os.tmpdir(), name);
  return socketPathFits(preferred) ? preferred : path.join('/tmp', name);
}

/** Removes the private directory, if the server had one. A directory in use remains, because it is not empty. */
export async function removeSocketDirectory(directory: string | undefined): Promise<void> {
  if (directory === undefined || !path.basename(directory).startsWith(shortPrefix)) return;
  await rmdir(directory).catch(() => undefined);
}
