import { readFile } from 'node:fs/promises';
import type { DataSource, EntityManager } from 'typeorm';
import type { Definition } from './service-definitions.js';

type IdPair = readonly [copy: number, live: number];

/** The ids of parts: in the copy, and in the live form. */
export interface PartIds {
  readonly fields: readonly IdPair[];
  readonly entities: readonly IdPair[];
  /**
   * All options of fields with places, because completed submissions hold options by their id. Undefined: the copy was made before options
   * had places.
   */
  readonly options?: readonly IdPair[];
}

/** Changes of a live form that somebody prepares in an inactive copy of it. */
export interface PreparedEdit {
  readonly formId: number;
  readonly copyId: number;
  /** The live form when the copy was made. */
  readonly definition: Definition;
  readonly begunVersion: number;
  readonly parts: PartIds;
  readonly begunBy: string | null;
  readonly begunAt: Date;
  /** The live form as it is now. Null: deleted. */
  readonly slug: string | null;
  readonly name: string | null;
  readonly version: number | null;
  /** The copy as it is now. Null: deleted. */
  readonly copySlug: string | null;
  readonly copyVersion: number | null;
  readonly changedBy: string | null;
  readonly changedAt: Date | null;
}

/** The panel's own table. The service's migrations do not know it. */
const TABLE = 'panel_prepared_edits';
const SQL_FILE = new URL('../../prepared-edits.sql', import.meta.url);

/** Creates the panel's own table, unless it is there. In production, its owner is the owner of the other tables. */
export async function createTable(dataSource: DataSource): Promise<void> {
  try {
    await dataSource.transaction(async (manager) => {
      // Two panels may start at the same time.
      await manager.query(`select pg_advisory_xact_lock(hashtext('${TABLE}'))`);
      const [{ exists }] = await manager.query<[{ exists: boolean }]>(
        'select to_regclass($1) is not null as exists',
        [TABLE],
      );
      if (!exists) await manager.query(await readFile(SQL_FILE, 'utf8'));
    });
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (code !== '42501') throw error;
    throw new Error(
      `The panel may not create its table ${TABLE} (${message}). Run examples/panel/prepared-edits.sql as the owner of the ` +
        'tables: psql "$DATABASE_URL" --file=examples/panel/prepared-edits.sql',
      { cause: error },
    );
  }
}

/** SQL conditions on the id of a form. A copy whose live form was deleted is a form of its own. */
export const isPreparedCopy = (key: string) =>
  `(${key} in (select copy_id from ${TABLE} where form_id in (select id from forms)))`;
export const hasPreparedEdit = (key: string) => `(${key} in (select form_id from ${TABLE}))`;

const FIND = `
  select edit.form_id as "formId", edit.copy_id as "copyId", edit.definition, edit.begun_version as "begunVersion", edit.parts,
         edit.begun_by as "begunBy", edit.begun_at as "begunAt", live.slug, live.name, live.version,
         copy.slug as "copySlug", copy.version as "copyVersion", copy.updated_by as "changedBy", copy.updated_at as "changedAt"
    from ${TABLE} edit left join forms live on live.id = edit.form_id left join forms copy on copy.id = edit.copy_id
   where $1 in (edit.form_id, edit.copy_id)`;

/** Finds the prepared edit of a live form or of a copy. */
export async function findEdit(
  manager: Pick<EntityManager, 'query'>,
  formId: number,
): Promise<PreparedEdit | undefined> {
  const [edit] = await manager.query<PreparedEdit[]>(FIND, [formId]);
  return edit;
}

/** Like {@link findEdit}, but locks the edit, and the forms first, because every change of a form locks its row. */
export async function lockEdit(manager: EntityManager, formId: number): Promise<PreparedEdit | undefined> {
  await manager.query(
    `select from forms where id in (select unnest(array[form_id, copy_id]) from ${TABLE} where $1 in (form_id, copy_id))
      order by id for update`,
    [formId],
  );
  await manager.query(`select from ${TABLE} where $1 in (form_id, copy_id) for update`, [formId]);
  return findEdit(manager, formId);
}

const INSERT = `
  insert into ${TABLE} (form_id, copy_id, definition, begun_version, begun_by, parts)
  select $1, $2, $3, $4, nullif($5, ''), json_build_object(
    'fields', (select coalesce(json_agg(json_build_array(copy.id, live.id)), '[]') from fields copy join fields live using (code)
                where copy.form_id = $2 and live.form_id = $1),
    'entities', (select coalesce(json_agg(json_build_array(copy.id, live.id)), '[]') from entities copy join entities live using (name)
                  where copy.form_id = $2 and live.form_id = $1),
    'options', (select coalesce(json_agg(json_build_array(copy.id, live.id)), '[]')
                  from fields join options live on live.field_id = fields.id
                  join fields copied on copied.code = fields.code and copied.form_id = $2
                  join options copy on copy.field_id = copied.id and copy.value = live.value
                 where fields.form_id = $1 and fields.id in (select field_id from options where places is not null)))`;

/** The copy still has the codes and names of the live form. */
export async function insertEdit(
  manager: EntityManager,
  edit: Pick<PreparedEdit, 'formId' | 'copyId' | 'definition' | 'begunVersion' | 'begunBy'>,
): Promise<void> {
  const { formId, copyId, definition, begunVersion, begunBy } = edit;
  await manager.query(INSERT, [formId, copyId, JSON.stringify(definition), begunVersion, begunBy ?? '']);
}

export async function deleteEdit(manager: EntityManager, { formId }: PreparedEdit): Promise<void> {
  await manager.query(`delete from ${TABLE} where form_id = $1`, [formId]);
}
