import { ENTITIES } from 'formtrail-entities';
import { DataSource, type DataSourceOptions } from 'typeorm';

/** Connection options of pg: a `connectionString`, or `host` (a socket directory, for example) and the other options. */
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
