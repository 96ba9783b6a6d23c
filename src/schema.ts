/** The API of the package for administration panels, which share the database and its entities with the service. */
import { getMetadataArgsStorage, type MigrationInterface } from 'typeorm';
import * as exported from './entities.js';

export * from './entities.js';

type Class<T extends object = object> = (new () => T) & { readonly prototype: T };

const classes = Object.values<unknown>(exported).filter(
  (value): value is Class => typeof value === 'function' && 'prototype' in value,
);
const tables = new Set(getMetadataArgsStorage().tables.map(({ target }) => target));

/** All entities, for the option `entities` of a TypeORM data source. */
export const ENTITIES = classes.filter((entity) => tables.has(entity));

const isMigration = (value: Class): value is Class<MigrationInterface> => 'up' in value.prototype;

/** TypeORM orders migrations by the time at the end of their names. */
const timeOf = (migration: Class<MigrationInterface>) =>
  Number((new migration().name ?? migration.name).slice(-13));

/** All migrations in their order, for the option `migrations` of a data source. */
export const MIGRATIONS = classes.filter(isMigration).toSorted((one, other) => timeOf(one) - timeOf(other));
