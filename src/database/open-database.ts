import { type Environment, StartError } from '../config/environment.js';
import type { Connection } from './data-source.js';
import { EmbeddedPostgresError, openEmbeddedPostgres } from './embedded/embedded-postgres.js';

export interface OpenDatabase {
  readonly connection: Connection;
  /** The variable that decides where the database is, for messages. */
  readonly configuredBy: string;
  /** Ends the use of the embedded database, which stops with its last user. */
  release(): Promise<void>;
}

/** The server that DATABASE_URL names, or the embedded one, started where it is not running. */
export async function openDatabase(
  { databaseUrl, dataDir }: Pick<Environment, 'databaseUrl' | 'dataDir'>,
  onProgress: (sentence: string) => void,
): Promise<OpenDatabase> {
  if (databaseUrl !== undefined) {
    return {
      connection: { connectionString: databaseUrl },
      configuredBy: 'DATABASE_URL',
      release: () => Promise.resolve(),
    };
  }
  try {
    const embedded = await openEmbeddedPostgres({ dataDir, onProgress });
    return {
      // Without TLS whatever the environment says to other programs.
      connection: { ...embedded.connection, ssl: false },
      configuredBy: 'DATA_DIR',
      release: () => embedded.release(),
    };
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new StartError(error.message) : error;
  }
}
