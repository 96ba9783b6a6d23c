/**
 * A copy of a table for the workers. Forms and their parts have triggers, which Citus supports neither on distributed
 * tables nor on reference tables. The tables of forms therefore stay on the coordinator. Each worker has a copy of the
 * columns that submissions need. The copy is a reference table that triggers update.
 */
export interface Mirror {
  readonly table: string;
  readonly name: string;
  /** The columns and their definitions in the mirror. The first column is `id`, the primary key. */
  readonly columns: Readonly<Record<string, string>>;
  /** SQL that creates a further index or unique constraint. */
  readonly keys?: string;
}

export const MIRRORS: readonly Mirror[] = [
  { table: 'users', name: 'user_keys', columns: { id: 'integer not null', email: 'varchar(255)' } },
  {
    table: 'forms',
    name: 'form_keys',
    columns: {
      id: 'integer not null',
      uuid: 'uuid not null',
      name: 'varchar(255) not null',
      slug: 'varchar(255) not null',
      version: 'integer not null',
    },
  },
  {
    table: 'steps',
    name: 'step_keys',
    columns: { id: 'integer not null', form_id: 'integer not null', step_number: 'integer not null' },
    keys: 'create index on step_keys (form_id, step_number)',
  },
  {
    table: 'deleted_steps',
    name: 'deleted_step_keys',
    columns: { id: 'integer not null', moved_to: 'integer' },
  },
  {
    table: 'entities',
    name: 'entity_keys',
    columns: { id: 'integer not null', form_id: 'integer not null' },
    keys: 'alter table entity_keys add unique (id, form_id)',
  },
  {
    table: 'fields',
    name: 'field_keys',
    columns: { id: 'integer not null', form_id: 'integer not null', is_repeatable: 'boolean not null' },
    keys: 'alter table field_keys add unique (id, form_id, is_repeatable)',
  },
];

/** Returns SQL that creates a mirror and copies the rows of the mirrored table. */
export function creationOf({ table, name, columns, keys }: Mirror): string[] {
  const names = Object.keys(columns).join();
  const definitions = Object.entries(columns).map(([column, definition]) => `${column} ${definition}`);
  return [
    `create table ${name} (${definitions.join()}, primary key (id))`,
    ...(keys === undefined ? [] : [keys]),
    `insert into ${name} select ${names} from ${table}`,
    `select create_reference_table('${name}')`,
  ];
}

/**
 * Returns SQL that creates the triggers that update a mirror. The triggers pass rows to Citus as arrays, because Citus
 * does not support the transition tables of triggers. Changes of columns that the mirror lacks, such as a new label,
 * do not write to the mirror.
 */
export function triggersOf({ table, name, columns }: Mirror): string[] {
  const names = Object.keys(columns);
  const arrays = names.map((column) => `the_${column}`);
  const collect = (rows: string) =>
    `select ${names.map((column) => `array_agg(${column})`).join()} into ${arrays.join()} from (${rows}) rows`;
  const changes = names.slice(1).map((column) => `${column} = excluded.${column}`);
  const onConflict = changes.length === 0 ? 'nothing' : `update set ${changes.join()}`;
  const write = `
        if the_id is not null then
          insert into ${name} select * from unnest(${arrays.join()})
            on conflict (id) do ${onConflict};
        end if;`;
  const forget = `
        if gone is not null then
          delete from ${name} where id = any (gone);
        end if;`;
  const trigger = (event: string, tables: string, body: string) => `
    create function formtrail_${name}_${event}() returns trigger language plpgsql as $$
      declare
        gone integer[];
        ${Object.entries(columns)
          .map(([column, definition]) => `the_${column} ${definition.replace(/[( ].*/, '')}[];`)
          .join('\n        ')}
      begin
        ${body}
        return null;
      end $$;
    create trigger ${name}_${event} after ${event} on ${table} ${tables}
      for each statement execute function formtrail_${name}_${event}()`;
  return [
    trigger(
      'insert',
      'referencing new table as added',
      `${collect(`select ${names.join()} from added`)};${write}`,
    ),
    trigger(
      'update',
      'referencing old table as before new table as after',
      `select array_agg(id) into gone from (select id from before except select id from after) rows;${forget}
        ${collect(`select ${names.join()} from after except select ${names.join()} from before`)};${write}`,
    ),
    trigger(
      'delete',
      'referencing old table as before',
      `select array_agg(id) into gone from before;${forget}`,
    ),
    // TRUNCATE does not cascade to distributed tables, because they refer to the mirror.
    trigger(
      'truncate',
      '',
      `begin
          delete from ${name};
        exception when foreign_key_violation then
          raise exception using errcode = 'foreign_key_violation',
            message = 'submissions refer to the table "${table}", and TRUNCATE does not cascade to distributed tables',
            hint = 'Run "truncate submissions, idempotency_keys cascade" first.';
        end;`,
    ),
  ];
}
