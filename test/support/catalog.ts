import type { DataSource } from 'typeorm';

/** Rows of the database's catalogs, by kind of object. */
export type Catalog = Record<string, Record<string, unknown>[]>;

/** Reads the whole schema without the OIDs and positions that the server assigns, so that schemas can be compared. */
export async function catalog(dataSource: DataSource): Promise<Catalog> {
  const ours = `relnamespace = 'public'::regnamespace and relname <> 'migrations'`;
  const lists = {
    columns: `select table_name,
        rank() over (partition by table_name order by ordinal_position)::int as position, column_name, data_type, character_maximum_length, is_nullable,
        column_default, is_identity, identity_generation, generation_expression,
        col_description(table_name::regclass, ordinal_position) as comment
        from information_schema.columns where table_schema = 'public' and table_name <> 'migrations' order by 1, 2`,
    constraints: `select conrelid::regclass::text as table, conname, pg_get_constraintdef(pg_constraint.oid) as definition
        from pg_constraint join pg_class on pg_class.oid = conrelid
        -- A trigger that can be deferred is listed with the triggers.
        where ${ours} and contype <> 't' order by 1, 2`,
    indexes: `select tablename, indexname, indexdef from pg_indexes
        where schemaname = 'public' and tablename <> 'migrations' order by 1, 2`,
    triggers: `select tgrelid::regclass::text as table, tgname, tgenabled, pg_get_triggerdef(pg_trigger.oid) as definition
        from pg_trigger join pg_class on pg_class.oid = tgrelid where not tgisinternal and ${ours} order by 1, 2`,
    functions: `select proname, pg_get_functiondef(oid) as definition
        from pg_proc where pronamespace = 'public'::regnamespace order by 1, 2`,
    relations: `select relname, relkind, obj_description(oid) as comment from pg_class
        where ${ours} and relkind <> 'i' and relname <> 'migrations_id_seq' order by 1`,
    types: `select typname, array(select enumlabel::text from pg_enum where enumtypid = pg_type.oid order by enumsortorder) as labels
        from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd', 'r') order by 1`,
    fieldTypes: `select to_jsonb(t) from (select name, component from field_types order by id) t`,
  };
  const found: Catalog = {};
  for (const [name, query] of Object.entries(lists)) {
    const isThere = name !== 'fieldTypes' || (await tableExists(dataSource, 'field_types'));
    found[name] = isThere ? await dataSource.query(query) : [];
  }
  return found;
}

async function tableExists(dataSource: DataSource, table: string): Promise<boolean> {
  const [row] = await dataSource.query(`select to_regclass($1) is not null as exists`, [table]);
  return row.exists;
}
