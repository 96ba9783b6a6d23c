import { ENTITIES } from 'formtrail-entities';
import { DataSource, type DataSourceOptions } from 'typeorm';

/** What pg needs to connect: a `connectionString`, or the directory of a socket as `host` and the rest. */
export type Connection = Readonly<Record<string, unknown>>;

export function openDataSource(connection: Connection): Promise<DataSource> {
  const options: DataSourceOptions = {
    type: 'postgres',
    entities: ENTITIES,
    installExtensions: false,
    poolErrorHandler: () => undefined,
    extra: { ...connection, max: 5, application_name: 'formtrail panel', keepAlive: true },
  };
  return new DataSource(options).initialize();
}
