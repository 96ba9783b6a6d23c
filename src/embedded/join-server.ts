import { databaseUser, loopback, readPassword } from './cluster.js';
import { EmbeddedPostgresError, errorCode, errorText } from './embedded-postgres-error.js';
import { type PostmasterFile, isServerOf, samePlace } from './postmaster-file.js';
import { type ServerAddress, UsageMark, isPassing } from './usage-mark.js';

const databaseName = 'formtrail';

export interface Joined {
  mark: UsageMark;
  connection: ServerAddress & { database: string };
  url: string;
}

/**
 * Connects to the server that postmaster.pid tells of; with a port to one that listens there, or anywhere for 0. A string
 * says why that does not work yet.
 */
export async function joinServer(
  cluster: string,
  file: PostmasterFile,
  patienceMilliseconds: number,
  port: number | undefined,
): Promise<Joined | string> {
  const address = await addressOf(cluster, file);
  if (address === undefined) return 'it does not listen yet';
  let mark: UsageMark | undefined;
  try {
    mark = await UsageMark.place(address, patienceMilliseconds);
    if (await isOurs(cluster, mark, file)) {
      await mark.ensureDatabase(databaseName);
      if (port !== undefined) await mark.setPassword(passwordOf(cluster, file, port, address));
      mark.rest();
      const open = file.listenAddress === undefined ? address : { ...address, host: loopback };
      return { mark, connection: { ...address, database: databaseName }, url: urlOf(open) };
    }
    await mark.drop();
    return 'another database answered';
  } catch (error) {
    await mark?.drop();
    if (isPassing(error)) return errorText(error);
    throw refusal(cluster, error);
  }
}

async function addressOf(cluster: string, file: PostmasterFile): Promise<ServerAddress | undefined> {
  const { pid, port, socketDirectory, listenAddress } = file;
  if (port === undefined) return undefined;
  const user = databaseUser;
  const password = await readPassword(cluster);
  if (socketDirectory !== undefined) return { host: socketDirectory, port, user, password };
  // Unlike a socket, a port may by now be another program's.
  if (listenAddress === undefined || !(await isServerOf(cluster, pid))) return undefined;
  return { host: listenAddress === '*' ? loopback : listenAddress, port, user, password };
}

function urlOf({ host, port, user, password }: ServerAddress): string {
  // A password is for the loopback alone, and consists of what needs no escape.
  const secret = host === loopback ? `:${password}` : '';
  return `postgres://${user}${secret}@${encodeURIComponent(host)}:${port}/${databaseName}`;
}

/** @throws EmbeddedPostgresError where the server does not listen on the port */
function passwordOf(
  cluster: string,
  file: PostmasterFile,
  port: number,
  { password }: ServerAddress,
): string {
  const isOpen = file.listenAddress !== undefined && (port === 0 || port === file.port);
  if (isOpen && password !== undefined) return password;
  throw new EmbeddedPostgresError(
    `The database in ${cluster} runs already, and does not listen on ${port === 0 ? 'a port' : `port ${port}`}. ` +
      'Stop whatever uses it and start again, or unset DATABASE_PORT.',
  );
}

/** A data directory copied with its postmaster.pid leads to the server of the original. */
async function isOurs(cluster: string, mark: UsageMark, file: PostmasterFile): Promise<boolean> {
  return file.socketDirectory === cluster || samePlace(await mark.dataDirectory(), cluster);
}

function refusal(cluster: string, error: unknown): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  if (errorCode(error) === 'EACCES') {
    return new EmbeddedPostgresError(
      `The database in ${cluster} is run by another user. Start as that user, or choose another data directory.`,
    );
  }
  return new EmbeddedPostgresError(`The database in ${cluster} refused the connection: ${errorText(error)}`);
}
