import { databaseUser, loopback, readPassword } from './cluster.js';
import { EmbeddedPostgresError, errorCode, errorText } from './embedded-postgres-error.js';
import { type PostmasterFile, isServerProcess, isSamePath } from './postmaster-file.js';
import { type ServerAddress, UsageMark, isTransient } from './usage-mark.js';

const databaseName = 'formtrail';

export interface JoinedServer {
  mark: UsageMark;
  connection: ServerAddress & { database: string };
  url: string;
}

/**
 * Connects to the server that postmaster.pid names. Returns the reason as a string if this is not possible yet.
 *
 * @param port the port of the loopback interface on which the server must listen; 0: any port; undefined: no port
 * @throws EmbeddedPostgresError if a later attempt would fail too
 */
export async function joinServer(
  cluster: string,
  file: PostmasterFile,
  timeoutMilliseconds: number,
  port: number | undefined,
): Promise<JoinedServer | string> {
  const address = await addressOf(cluster, file);
  if (address === undefined) return 'the server does not listen yet';
  let mark: UsageMark | undefined;
  try {
    mark = await UsageMark.place(address, timeoutMilliseconds);
    if (await isOurs(cluster, mark, file)) {
      await mark.ensureDatabase(databaseName);
      if (port !== undefined) await mark.setPassword(passwordOf(cluster, file, port, address));
      mark.unref();
      const forOthers = file.listenAddress === undefined ? address : { ...address, host: loopback };
      return { mark, connection: { ...address, database: databaseName }, url: urlOf(forOthers) };
    }
    await mark.drop();
    return 'the server of another database responded';
  } catch (error) {
    await mark?.drop();
    if (isTransient(error)) return errorText(error);
    throw connectionFailure(cluster, error);
  }
}

async function addressOf(cluster: string, file: PostmasterFile): Promise<ServerAddress | undefined> {
  const { pid, port, socketDirectory, listenAddress } = file;
  if (port === undefined) return undefined;
  const user = databaseUser;
  const password = await readPassword(cluster);
  if (socketDirectory !== undefined) return { host: socketDirectory, port, user, password };
  // Unlike a socket, a port may belong to another program after the server has ended.
  if (listenAddress === undefined || !(await isServerProcess(cluster, pid))) return undefined;
  return { host: listenAddress === '*' ? loopback : listenAddress, port, user, password };
}

function urlOf({ host, port, user, password }: ServerAddress): string {
  // Only the loopback needs the password, which has no characters that need escaping.
  const secret = host === loopback ? `:${password}` : '';
  return `postgres://${user}${secret}@${encodeURIComponent(host)}:${port}/${databaseName}`;
}

/** @throws EmbeddedPostgresError if the server does not listen on the port */
function passwordOf(
  cluster: string,
  file: PostmasterFile,
  port: number,
  { password }: ServerAddress,
): string {
  const isOpen = file.listenAddress !== undefined && (port === 0 || port === file.port);
  if (isOpen && password !== undefined) return password;
  throw new EmbeddedPostgresError(
    `The database in ${cluster} is already running and does not listen on ${port === 0 ? 'a port' : `port ${port}`}. ` +
      'Stop the programs that use it and start again, or unset DATABASE_PORT.',
  );
}

/**
 * False if the data directory is a copy, because the copied postmaster.pid names the server of the original directory.
 */
async function isOurs(cluster: string, mark: UsageMark, file: PostmasterFile): Promise<boolean> {
  return file.socketDirectory === cluster || isSamePath(await mark.dataDirectory(), cluster);
}

function connectionFailure(cluster: string, error: unknown): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  if (errorCode(error) === 'EACCES') {
    return new EmbeddedPostgresError(
      `Another user runs the database in ${cluster}. Start as that user, or choose another data directory.`,
    );
  }
  return new EmbeddedPostgresError(`The database in ${cluster} rejected the connection: ${errorText(error)}`);
}
