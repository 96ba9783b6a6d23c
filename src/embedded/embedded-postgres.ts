import { prepareDataDirectory } from './cluster.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { Launch } from './launch.js';
import { type EmbeddedPostgresOptions, type LauncherOverrides } from './launcher-options.js';
import { type ServerAddress } from './usage-mark.js';

export { EmbeddedPostgresError, type EmbeddedPostgresOptions };

export interface EmbeddedPostgres {
  /** What `pg` or TypeORM need to connect. The host is the directory of a socket, or 127.0.0.1 with a password. */
  readonly connection: ServerAddress & { database: string };
  /** The same for other programs: by the loopback where the server listens there, else by its socket. */
  readonly url: string;
  /**
   * Ends this process's use, once it has closed its own connections. Stops the server if nobody else is connected.
   * May be called twice, and when the server is gone.
   */
  release(): Promise<void>;
}

/**
 * Starts PostgreSQL in a data directory, or joins the server that already runs there, whoever started it.
 * Throws EmbeddedPostgresError when there is something for the operator to do.
 */
export async function openEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
  overrides: LauncherOverrides = {},
): Promise<EmbeddedPostgres> {
  const launch = new Launch(await prepareDataDirectory(options.dataDir), options, overrides);
  const { mark, connection, url } = await launch.run();
  let released: Promise<void> | undefined;
  return { connection, url, release: () => (released ??= launch.leave(mark)) };
}
