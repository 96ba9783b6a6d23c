import { type Transport } from './cluster.js';

export interface EmbeddedPostgresOptions {
  /** Made if missing, with mode 0700. The cluster is in `postgres` below it, the server's log in `postgres.log`. */
  dataDir: string;
  /** Where the server listens on the loopback too, with a password; 0: any free port. Unset: on its socket only. */
  port?: number | undefined;
  onProgress?: (sentence: string) => void;
}

/** For tests: ways that are otherwise taken on other systems only. */
export interface LauncherOverrides {
  transport?: Transport;
  allowNamespaces?: boolean;
  /** Files from whose places the binaries are looked up. */
  resolveFrom?: string[];
  patienceSeconds?: number;
}
