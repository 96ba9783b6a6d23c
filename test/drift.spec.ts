import { DataSource, DefaultNamingStrategy, type EntityMetadata, Table } from 'typeorm';
import { ENTITIES } from '../src/schema.js';
import { type Catalog, catalog } from './support/catalog.js';
import { onOneServer as describe } from './support/it-on-one-server.js';
import { type TestDatabase, testDatabase } from './support/test-database.js';

/** Names primary keys like PostgreSQL does in the migrations, because the entities do not name them. */
class NamesOfPostgres extends DefaultNamingStrategy {
  override primaryKeyName(table: Table | string): string {
    return `${table instanceof Table ? table.name : table}_pkey`;
  }
}

/** Generated columns. The comparison leaves out their expressions, which TypeORM would store in its table `typeorm_metadata`. */
const COMPUTED = ['record_key', 'owner'];
/** An index on an expression, which entities cannot declare. */
const ON_AN_EXPRESSION = 'users_email_key';

let database: TestDatabase;
/** A data source like the administration panel's, which never changes tables. */
let panel: DataSource;

beforeAll(async () => {
  database = await testDatabase();
  panel = await new DataSource({ ...database.dataSource.options, entities: ENTITIES }).initialize();
});
afterAll(async () => {
  await panel.destroy();
  await database.close();
});

/** Opens a data source that lets TypeORM compare all entities with the tables, and create tables from the entities. */
async function synchronizing(
  { dataSource }: TestDatabase,
  work: (synchronizing: DataSource) => Promise<void>,
): Promise<void> {
  const opened = await new DataSource({
    ...dataSource.options,
    namingStrategy: new NamesOfPostgres(),
  }).initialize();
  for (const metadata of opened.entityMetadatas as (EntityMetadata & { synchronize: boolean })[])
    metadata.synchronize = true;
  try {
    await work(opened);
  } finally {
    await opened.destroy();
  }
}

describe('the entities and the migrations describe the same schema', () => {
  it('so a database created from the entities is the same, except what entities cannot declare', async () => {
    const migrated = await catalog(database.dataSource);
    const empty = await testDatabase('template0');
    await synchronizing(empty, async (dataSource) => {
      await dataSource.synchronize();
      const synchronized = await catalog(dataSource);
      for (const what of ['columns', 'constraints', 'indexes', 'relations', 'types'])
        expect([what, sayable(synchronized, what)]).toEqual([what, sayable(migrated, what)]);
      // Only migrations create triggers, functions and field types.
      expect(synchronized).toMatchObject({ triggers: [], functions: [], fieldTypes: [] });
    });
    await empty.close();
  });

  it('and both have a comment on every table and column', async () => {
    const { relations = [], columns = [] } = await catalog(panel);
    const described = [...relations.filter(({ relkind }) => relkind === 'r'), ...columns];
    expect(described.length).toBeGreaterThan(14 + 80);
    expect(described.filter(({ comment }) => !comment)).toEqual([]);
  });

  it('so a data source of the panel that synchronizes changes nothing', async () => {
    const before = await catalog(panel);
    expect(await panel.driver.createSchemaBuilder().log()).toMatchObject({ upQueries: [] });

    await panel.synchronize();

    expect(await catalog(panel)).toEqual(before);
  });

  // Last, because it adds the table in which TypeORM looks for the expressions of computed columns.
  it('so TypeORM would change nothing in a migrated database, except what it misreads', async () => {
    const misread = [
      // TypeORM mistakes the default `gen_random_uuid()` for its own UUID generation, which the entity does not use.
      /^ALTER TABLE "(erasures|forms|webhook_deliveries)" ALTER COLUMN "(uuid|id)" (DROP DEFAULT|SET DEFAULT gen_random_uuid\(\))$/,
      new RegExp(
        `^(ALTER TABLE|UPDATE) "(submission_values|translations)" .*"(TEMP_OLD_)?(${COMPUTED.join('|')})"`,
      ),
      // The column `owner` is part of it.
      /^ALTER TABLE "translations" DROP CONSTRAINT "translations_form_id_locale_owner_key_key"$/,
      /^DELETE FROM "typeorm_metadata"/,
    ];
    await synchronizing(database, async (dataSource) => {
      await dataSource.query(
        'create table typeorm_metadata (type text, database text, schema text, "table" text, name text, value text)',
      );
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      const todo = upQueries.map(({ query }) => query);
      expect(todo.filter((query) => !misread.some((pattern) => pattern.test(query)))).toEqual([]);
    });
  });
});

/** Returns the rows of one list as JSON, without column positions and without what entities cannot declare. */
function sayable(schema: Catalog, what: string): string[] {
  return schema[what]!.filter(({ indexname }) => indexname !== ON_AN_EXPRESSION)
    .map(({ position: _, ...row }) =>
      JSON.stringify(
        COMPUTED.includes(row['column_name'] as string) ? { ...row, generation_expression: null } : row,
      ),
    )
    .sort();
}
