import { type Transport } from './cluster.js';

export interface EmbeddedPostgresOptions {
  /**
   * The data directory, created with mode 0700 if missing. It contains the cluster in `postgres` and the server's log
   * in `postgres.log`.
   */
  dataDir: string;
  /**
   * A port of the loopback on which the server also listens, with a password. 0: any free port. Unset: the server
   * listens only on its socket.
   */
  port?: number | undefined;
  onProgress?: (sentence: string) => void;
}

/** Options that only tests set, to execute the code for other operating systems. */
export interface LauncherOverrides {
  transport?: Transport;
  allowNamespaces?: boolean;
}
