import { DataSource, type LogLevel, TypeORMError } from 'typeorm';
// Not imported from environment.ts, so that a pool can be created without loading the configuration.
import { CAPABILITIES } from '../capabilities.js';
import { StartError } from '../config/start-error.js';
import { type Connection, CONNECTION_TIMEOUT, RESPONSE_TIMEOUT } from '../database/connection.js';
import { mayBeDistributed } from '../database/distribution.js';
import { ENTITIES, MIGRATIONS } from '../schema.js';

/** `deadlines`: whether statements time out. True for requests, false for migrations and imports, which may take long. */
type PoolOptions = Readonly<{ size: number; deadlines: boolean; onConnectionLost?: (error: Error) => void }>;

mayBeDistributed(CAPABILITIES.flatMap(({ findDistribution }) => findDistribution ?? []));

export function createDataSource(connection: Connection, { size, deadlines, onConnectionLost }: PoolOptions) {
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

/** @throws StartError if the database is unreachable or rejects the connection */
export async function initialize(dataSource: DataSource, where: string): Promise<DataSource> {
  try {
    return await dataSource.initialize();
  } catch (error) {
    // A mapping error, not a connection error.
    if (error instanceof TypeORMError) throw error;
    const { message, code = '' } = (
      error instanceof AggregateError ? error.errors[0] : error
    ) as ConnectionError;
    throw new StartError(`Cannot connect to the database (${message}). ${remedy(code, where)}`);
  }
}

type ConnectionError = Error & { readonly code?: string };

/** `code` is an SQLSTATE (PostgreSQL, appendix A), an error code of Node.js, or empty. */
function remedy(code: string, where: string): string {
  if (code === '3D000') return `Create that database, or name another in ${where}.`;
  if (code.startsWith('28'))
    return `Check the user and the password in ${where}, and the server's pg_hba.conf.`;
  return `Check ${where}, and that the server is running.`;
}
