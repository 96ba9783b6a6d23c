import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { itOnOneServer } from './support/it-on-one-server.js';
import { useService } from './support/service.js';

const ROOT = path.resolve(__dirname, '..');
const PAGE = 'docs/administration-panel.md';

const use = useService();
let page: string;

beforeAll(async () => {
  page = await readFile(path.join(ROOT, PAGE), 'utf8');
});

const managerOf = () => use.database.dataSource.manager;

/** A panel may only delete rows of these tables and cannot violate their constraints, so the page omits them. */
const WRITTEN_BY_THE_SERVICE = [
  ...['submissions', 'submission_values', 'idempotency_keys', 'files', 'file_deletions', 'user_storage'],
  ...[
    'resume_codes',
    'spent_proofs',
    'webhook_outbox',
    'webhook_deliveries',
    'ended_identities',
    'form_uuids',
    'form_versions',
    'form_version_texts',
    'deleted_steps',
  ],
  ...['form_counts', 'user_counts', 'option_counts', 'held_options', 'held_submissions', 'erasures'],
];

describe(`${PAGE}: the table of constraints`, () => {
  /** Returns the names of the checks on timestamp columns. Each name has the form `<table>_<column>_check`. */
  const timestampChecks = async () => {
    const rows = await managerOf().query<{ name: string }[]>(`
      select table_name || '_' || column_name || '_check' as name from information_schema.columns
       where table_schema = 'public' and data_type = 'timestamp with time zone'`);
    return rows.map(({ name }) => name);
  };

  itOnOneServer('lists every constraint that a panel can violate, and no other', async () => {
    const found = await managerOf().query<{ name: string; when: string }[]>(
      `
      select conname as name, case when condeferred then '(at commit)' when condeferrable then '(deferrable)' else '' end as when
        from pg_constraint where connamespace = 'public'::regnamespace and contype in ('u', 'f', 'c')
         and (conrelid::regclass::text <> all ($1) or contype = 'f' and confdeltype <> 'c')
       union all select indexrelid::regclass::text, '' from pg_index
        where indisunique and indrelid::regclass::text <> all ($1) and indrelid in (
                select oid from pg_class where relnamespace = 'public'::regnamespace and relname <> 'migrations')
          and not exists (select from pg_constraint where conindid = indexrelid)
       -- Constraints that triggers name in their errors.
       union all select distinct name[1], case when tgdeferrable then '(deferrable)' else '' end
         from pg_trigger join pg_proc on pg_proc.oid = tgfoid,
              regexp_matches(prosrc, $$constraint = '(\\w+)'$$, 'g') as name
        where not tgisinternal
       -- And those of functions that a trigger calls at commit.
       union all select distinct name[1], '(at commit)'
         from pg_proc, regexp_matches(prosrc, $$constraint = '(\\w+)'$$, 'g') as name
        where proname like 'formtrail_check_%' and prorettype <> 'trigger'::regtype`,
      [WRITTEN_BY_THE_SERVICE],
    );
    const ofTimestamps = await timestampChecks();
    const violable = found.filter(
      ({ name }) =>
        // These keys are only targets of foreign keys with several columns. Their id or UUID is already unique.
        !/_id_form_id(_is_repeatable)?_key$|_form_id_uuid_key$/.test(name) && !ofTimestamps.includes(name),
    );

    const rows = page.split('\n').filter((line) => /^\| `\w+_(key|fkey|check)`/.test(line));
    const documented = rows.flatMap((row) =>
      [...row.matchAll(/`(\w+_(?:key|fkey|check))`/g)].map(([, name]) => ({
        name,
        when: /\((at commit|deferrable)\)/.exec(row)?.[0] ?? '',
      })),
    );
    const byName = (a: { name?: string }, b: { name?: string }) => a.name!.localeCompare(b.name!);
    expect(documented.toSorted(byName)).toEqual(violable.toSorted(byName));
  });

  it('leaves out the tables that the page tells panels not to write to', () => {
    expect(tablesIn('<a id="only-the-service">')).toEqual(WRITTEN_BY_THE_SERVICE);
    expect(page).toContain('**Do not write to tables that [only the service writes](#only-the-service).**');
  });
});

/** The names in the paragraph that begins with this text. */
function tablesIn(beginning: string): (string | undefined)[] {
  const [, rest = ''] = page.split(`\n\n${beginning}`);
  return [...(rest.split('\n\n')[0] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);
}

interface Attribute {
  readonly type: string;
  readonly keys: readonly string[];
}

/** Reads the page's diagram. Returns the attributes by table and column, and the lines of relations. */
function diagram() {
  const [, text = ''] = /```mermaid\n(.*?)```/s.exec(page) ?? [];
  const tables = new Map<string, Map<string, Attribute>>();
  for (const [, table = '', attributes = ''] of text.matchAll(/^ {2}(\w+) \{(.*?)\}/gms)) {
    const lines = attributes.trim().split(/\n/);
    const columns = lines.map((line): [string, Attribute] => {
      const [, type = '', name = '', keys = ''] =
        /^([\w[\]]+) (\w+)(?: ([A-Z, ]+))?$/.exec(line.trim()) ?? [];
      return [name, { type, keys: keys.split(', ').filter(Boolean) }];
    });
    tables.set(table, new Map(columns));
  }
  return { tables, lines: text.split('\n').filter((line) => /^ {2}\w+ \S+(--|\.\.)/.test(line)) };
}

describe(`${PAGE}: the diagram`, () => {
  it('contains every column of its tables, and the page names all other tables of the entities once', () => {
    const drawn = [...diagram().tables].map(([table, columns]) => [table, [...columns.keys()]]);
    const mapped = use.database.dataSource.entityMetadatas.map(
      ({ tableName, columns }) => [tableName, columns.map(({ databaseName }) => databaseName)] as const,
    );
    const others = [...tablesIn('Also in the database'), ...WRITTEN_BY_THE_SERVICE];
    expect([...diagram().tables.keys(), ...others].toSorted()).toEqual(
      mapped.map(([table]) => table).toSorted(),
    );
    expect(Object.fromEntries(drawn)).toEqual(
      Object.fromEntries(mapped.filter(([table]) => !others.includes(table))),
    );
  });

  // Skipped with Citus, where some tables have no foreign keys.
  itOnOneServer('has the types and keys of the migrated database', async () => {
    const columns = await managerOf().query<(Attribute & { name: string })[]>(
      `
      select relname || '.' || attname as name, format_type(atttypid, null) as type,
             array_remove(array[
               case when bool_or(contype = 'p' and attnum = any (conkey)) then 'PK' end,
               case when bool_or(contype = 'f' and attnum = any (conkey)) then 'FK' end,
               case when bool_or(contype = 'u' and conkey = array[attnum]) then 'UK' end
             ], null) as keys
        from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_constraint on conrelid = attrelid
       where pg_class.relnamespace = 'public'::regnamespace and relname = any ($1)
         and attnum > 0 and not attisdropped
       group by relname, attname, attnum, atttypid`,
      [[...diagram().tables.keys()]],
    );
    const short = (type: string) =>
      type.replace('character varying', 'varchar').replace('timestamp with time zone', 'timestamptz');
    const migrated = columns.map(({ name, type, keys }) => [name, { type: short(type), keys }]);
    const drawn = [...diagram().tables].flatMap(([table, attributes]) =>
      [...attributes].map(([column, attribute]) => [`${table}.${column}`, attribute]),
    );
    expect(Object.fromEntries(drawn)).toEqual(Object.fromEntries(migrated));
  });

  itOnOneServer('draws each foreign key between its tables as a line, and nothing else', async () => {
    const foreignKeys = await managerOf().query<
      { parent: string; child: string; columns: string[]; isOptional: boolean }[]
    >(
      `
      select confrelid::regclass::text as parent, conrelid::regclass::text as child,
             array_agg(attname::text order by array_position(conkey, attnum)) as columns,
             not bool_and(attnotnull) as "isOptional"
        from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any (conkey)
       where contype = 'f' and connamespace = 'public'::regnamespace
         and confrelid::regclass::text = any ($1) and conrelid::regclass::text = any ($1)
       group by pg_constraint.oid, 1, 2`,
      [[...diagram().tables.keys()]],
    );
    // `form_id` and `is_repeatable` are part of most keys, so neither makes a useful label.
    const labelOf = (columns: string[]) =>
      columns.findLast((name) => !['form_id', 'is_repeatable'].includes(name)) ?? columns[0];
    const expected = foreignKeys.map(
      ({ parent, child, columns, isOptional }) =>
        `  ${parent} ${isOptional ? '|o' : '||'}--o{ ${child} : ${labelOf(columns)}`,
    );
    expect(diagram().lines.toSorted()).toEqual(expected.toSorted());
  });
});
