/** The API of the package for administration panels, which share the database and its entities with the service. */
import { getMetadataArgsStorage, type MigrationInterface } from 'typeorm';
import * as exported from './entities.js';

export * from './entities.js';

type Class<T = object> = new () => T;

const classes = Object.values<unknown>(exported).filter(
  (value): value is Class => typeof value === 'function',
);
const tables = new Set(getMetadataArgsStorage().tables.map(({ target }) => target));

/** All entities, for the option `entities` of a TypeORM data source. */
export const ENTITIES = classes.filter((entity) => tables.has(entity));

/** TypeORM orders migrations by the time at the end of their names. */
const timeOf = ({ name }: Class) => Number(name.slice(-13));

/** All migrations in their order, for the option `migrations` of a data source. */
export const MIGRATIONS = classes
  .filter((migration): migration is Class<MigrationInterface> => /^\w+?\d{13}$/.test(migration.name))
  .toSorted((one, other) => timeOf(one) - timeOf(other));
