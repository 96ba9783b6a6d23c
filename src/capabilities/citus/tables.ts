/** The tables that grow with use, each with its distribution column and the table with which it is colocated. */
export const DISTRIBUTED_TABLES = [
  { table: 'submissions', column: 'uuid', colocatedWith: 'none' },
  { table: 'entity_records', column: 'submission_uuid', colocatedWith: 'submissions' },
  { table: 'submission_values', column: 'submission_uuid', colocatedWith: 'submissions' },
  { table: 'idempotency_keys', column: 'key', colocatedWith: 'none' },
] as const;

/**
 * Copies of tables for the workers. Forms and their parts have triggers, which Citus supports neither on distributed
 * tables nor on reference tables. The tables of forms therefore stay on the coordinator. Each worker has a copy of the
 * columns that submissions need. The copy is a reference table that triggers update. Its primary key is `id`.
 */
export const MIRRORS = [
  { table: 'users', name: 'user_keys', columns: ['id', 'email'] },
  { table: 'forms', name: 'form_keys', columns: ['id', 'uuid', 'name', 'slug', 'version'] },
  { table: 'steps', name: 'step_keys', columns: ['id', 'form_id', 'step_number'] },
  { table: 'deleted_steps', name: 'deleted_step_keys', columns: ['id', 'moved_to'] },
  { table: 'entities', name: 'entity_keys', columns: ['id', 'form_id'] },
  { table: 'fields', name: 'field_keys', columns: ['id', 'form_id', 'is_repeatable'] },
];
type Mirror = (typeof MIRRORS)[number];
/** The name of the mirror of each mirrored table, by the name of the table. */
export const MIRROR_OF = Object.fromEntries(MIRRORS.map(({ table, name }) => [table, name]));

/** Returns SQL that creates a mirror and copies the rows of the mirrored table. */
export function creationOf({ table, name, columns }: Mirror): string[] {
  const [id, ...others] = columns;
  return [
    `create table ${name} as select ${columns.join()} from ${table}`,
    `alter table ${name} add primary key (id)`,
    // An index of the steps of a form, and the target of foreign keys with the form of an entity or a field.
    ...(columns.includes('form_id') ? [`alter table ${name} add unique (${[...others, id].join()})`] : []),
    `select create_reference_table('${name}')`,
  ];
}

/**
 * Returns SQL that creates the triggers that update a mirror. The function collects rows in arrays first, because Citus does not
 * support the transition tables of triggers. Changes of columns that the mirror lacks, such as a new label, do not write to the
 * mirror. TRUNCATE does not cascade to distributed tables, because they refer to the mirror.
 */
export function triggersOf({ table, name, columns }: Mirror): string[] {
  const names = columns.join();
  const changes = columns.map((column) => `${column} = excluded.${column}`).join();
  const trigger = (event: string, tables: string) =>
    `create trigger ${name}_${event} after ${event} on ${table} ${tables}
       for each statement execute function formtrail_${name}()`;
  return [
    `create function formtrail_${name}() returns trigger language plpgsql as $$
       declare
         gone integer[];
         written ${name}[];
       begin
         if tg_op = 'TRUNCATE' then
           begin
             delete from ${name};
           exception when foreign_key_violation then
             raise exception using errcode = 'foreign_key_violation',
               message = 'submissions refer to the table "${table}", and TRUNCATE does not cascade to distributed tables',
               hint = 'Run "truncate submissions, idempotency_keys cascade" first.';
           end;
         elsif tg_op = 'DELETE' then
           gone := array(select id from before);
         elsif tg_op = 'INSERT' then
           written := array(select row(${names})::${name} from after);
         else
           gone := array(select id from before except select id from after);
           written := array(select row(${names})::${name} from
             (select ${names} from after except select ${names} from before) changed);
         end if;
         if cardinality(gone) > 0 then
           delete from ${name} where id = any (gone);
         end if;
         if cardinality(written) > 0 then
           insert into ${name} select * from unnest(written) on conflict (id) do update set ${changes};
         end if;
         return null;
       end $$`,
    trigger('insert', 'referencing new table as after'),
    trigger('update', 'referencing old table as before new table as after'),
    trigger('delete', 'referencing old table as before'),
    trigger('truncate', ''),
  ];
}
