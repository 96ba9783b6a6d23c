import { DataSource, DefaultNamingStrategy, type EntityMetadata, Table } from 'typeorm';
import { ENTITIES } from '../src/entities.js';
import { MIGRATIONS } from '../src/migrations/index.js';
import { type Catalog, catalog } from './support/catalog.js';
import { onOneServer as describe } from './support/it-on-one-server.js';
import { type TestDatabase, testDatabase } from './support/test-database.js';

/** What entities leave to TypeORM's choice: as PostgreSQL chooses in the migrations. */
class NamesOfPostgres extends DefaultNamingStrategy {
  override primaryKeyName(table: Table | string): string {
    return `${table instanceof Table ? table.name : table}_pkey`;
  }
}

/** A stored column that is computed. TypeORM would keep its expression in a table of its own. */
const COMPUTED = 'record_key';
/** An index on what is no column. */
const ON_AN_EXPRESSION = 'users_email_key';

let database: TestDatabase;
/** As the administration panel's: it leaves the tables to the migrations. */
let panel: DataSource;
/** One that TypeORM may compare with the tables, or make them by. */
let synchronizing: DataSource;

beforeEach(async () => {
  database = await testDatabase();
  const { options } = database.dataSource;
  panel = await new DataSource({ ...options, entities: ENTITIES }).initialize();
  synchronizing = await new DataSource({ ...options, namingStrategy: new NamesOfPostgres() }).initialize();
  for (const metadata of synchronizing.entityMetadatas as (EntityMetadata & { synchronize: boolean })[]) {
    metadata.synchronize = true;
  }
});
afterEach(async () => {
  await panel.destroy();
  await synchronizing.destroy();
  await database.drop();
});

/** TypeORM looks here for the expressions of computed columns. */
const makeMetadataTable = () =>
  synchronizing.query(
    'create table typeorm_metadata (type text, database text, schema text, "table" text, name text, value text)',
  );

describe('the entities and the migrations describe the same schema', () => {
  it('so that TypeORM finds nothing to do in a migrated database, but for what it cannot read', async () => {
    await makeMetadataTable();
    const { upQueries } = await synchronizing.driver.createSchemaBuilder().log();

    const misread = [
      // It takes this default for its own way to generate a UUID, which the entity does not ask for.
      /^ALTER TABLE "(forms|webhook_deliveries)" ALTER COLUMN "(uuid|id)" (DROP DEFAULT|SET DEFAULT gen_random_uuid\(\))$/,
      new RegExp(`^(ALTER TABLE|UPDATE) "submission_values" .*"(TEMP_OLD_)?${COMPUTED}"`),
      /^DELETE FROM "typeorm_metadata"/,
    ];
    const todo = upQueries.map(({ query }) => query);
    expect(todo.filter((query) => !misread.some((pattern) => pattern.test(query)))).toEqual([]);
  });

  it('so that a database made by the entities alone is the same, but for what they cannot say', async () => {
    const migrated = await catalog(synchronizing);
    for (const _migration of MIGRATIONS) await synchronizing.undoLastMigration();
    await synchronizing.synchronize();
    const synchronized = await catalog(synchronizing);

    for (const what of ['columns', 'constraints', 'indexes', 'relations', 'types']) {
      expect([what, sayable(synchronized, what)]).toEqual([what, sayable(migrated, what)]);
    }
    // These are the migrations' alone.
    expect(synchronized).toMatchObject({ triggers: [], functions: [], fieldTypes: [] });
  });

  it('and both say what every table and every column is', async () => {
    const { relations = [], columns = [] } = await catalog(panel);
    const described = [...relations.filter(({ relkind }) => relkind === 'r'), ...columns];
    expect(described.length).toBeGreaterThan(14 + 80);
    expect(described.filter(({ comment }) => !comment)).toEqual([]);
  });

  it('and leave it to the migrations, also where a data source of the panel synchronizes', async () => {
    const before = await catalog(panel);
    expect(await panel.driver.createSchemaBuilder().log()).toMatchObject({ upQueries: [] });

    await panel.synchronize();

    expect(await catalog(panel)).toEqual(before);
  });
});

/** Rows of one list as texts, whatever the order of columns in a table. */
function sayable(schema: Catalog, what: string): string[] {
  return schema[what]!.filter(({ indexname }) => indexname !== ON_AN_EXPRESSION)
    .map(({ position: _, ...row }) =>
      JSON.stringify(row['column_name'] === COMPUTED ? { ...row, generation_expression: null } : row),
    )
    .sort();
}
