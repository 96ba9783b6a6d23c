import { DataSource, type LogLevel, TypeORMError } from 'typeorm';
// Alone, for whoever needs a pool and no configuration.
import { StartError } from '../config/start-error.js';
import { type Connection, CONNECTION_TIMEOUT, RESPONSE_TIMEOUT } from '../database/connection.js';
import { ENTITIES } from '../entities.js';
import { MIGRATIONS } from '../migrations/index.js';

interface PoolOptions {
  readonly size: number;
  /** For requests, which somebody waits for; migrations and imports take the time they need. */
  readonly deadlines: boolean;
  readonly onConnectionLost?: (error: Error) => void;
}

export function createDataSource(
  connection: Connection,
  { size, deadlines, onConnectionLost }: PoolOptions,
): DataSource {
  return new DataSource({
    type: 'postgres',
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    installExtensions: false,
    logging: ['warn'] satisfies LogLevel[],
    poolErrorHandler: onConnectionLost ?? (() => undefined),
    extra: {
      ...connection,
      max: size,
      application_name: 'formtrail',
      keepAlive: true,
      connectionTimeoutMillis: CONNECTION_TIMEOUT,
      ...(deadlines && { query_timeout: RESPONSE_TIMEOUT }),
    },
  });
}

/** Connects; an unreachable database or one that refuses us is a {@link StartError}. */
export async function initialize(dataSource: DataSource, where: string): Promise<DataSource> {
  try {
    return await dataSource.initialize();
  } catch (error) {
    // Of the entities, not of the connection.
    if (error instanceof TypeORMError) throw error;
    const { message, code = '' } = (error instanceof AggregateError ? error.errors[0] : error) as Refusal;
    throw new StartError(`Cannot connect to the database (${message}). ${remedy(code, where)}`);
  }
}

type Refusal = Error & { readonly code?: string };

/** By what PostgreSQL says (appendix A), where it says anything. */
function remedy(code: string, where: string): string {
  if (code === '3D000') return `Create that database, or name another in ${where}.`;
  if (code.startsWith('28'))
    return `Check the user and the password in ${where}, and the server's pg_hba.conf.`;
  return `Check ${where}, and that the server is running.`;
}
