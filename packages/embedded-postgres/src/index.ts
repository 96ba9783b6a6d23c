import { prepareDataDirectory } from './cluster.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { ServerLaunch } from './launch.js';
import { type EmbeddedPostgresOptions, type LauncherOverrides } from './launcher-options.js';
import { type ServerAddress } from './usage-mark.js';

export { EmbeddedPostgresError, type EmbeddedPostgresOptions };

export interface EmbeddedPostgres {
  /** Connection options for `pg` and TypeORM. The host is the directory of a socket, or 127.0.0.1 with a password. */
  readonly connection: ServerAddress & { database: string };
  /**
   * The URL for other programs. The URL has the loopback address if the server listens there, otherwise the socket.
   */
  readonly url: string;
  /**
   * Stops the server, unless another process is connected. Close your own connections first. You may call this twice, and after
   * the server has ended.
   */
  readonly release: () => Promise<void>;
}

/**
 * Starts PostgreSQL in a data directory, or joins the server that already runs there, even if another process started it.
 *
 * @throws EmbeddedPostgresError if the operator must solve a problem
 */
export async function openEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
  overrides: LauncherOverrides = {},
): Promise<EmbeddedPostgres> {
  const launch = new ServerLaunch(await prepareDataDirectory(options.dataDir), options, overrides);
  const { mark, connection, url } = await launch.run();
  let released: Promise<void> | undefined;
  return { connection, url, release: () => (released ??= launch.leave(mark)) };
}
