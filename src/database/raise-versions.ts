import type { DataSource } from 'typeorm';

/** More versions than anybody makes between a backup and its restore. */
const LOST_VERSIONS = 10_000;

export interface RaisedVersions {
  /** The number of forms. */
  readonly forms: number;
  /** The number of UUIDs whose form is deleted. */
  readonly deleted: number;
}

/**
 * Raises the versions of all forms above those that a restore of a backup lost, because caches keep the schema of each version (N3).
 * Only the owner of the tables may do this, because a trigger decides the version otherwise.
 */
export function raiseVersions(dataSource: DataSource): Promise<RaisedVersions> {
  return dataSource.transaction(async (manager) => {
    const raised = (column: string) => `least(${column}, ${2 ** 31 - 1 - LOST_VERSIONS}) + ${LOST_VERSIONS}`;
    await manager.query('alter table forms disable trigger forms_version');
    const [, forms] = await manager.query<[unknown, number]>(
      `update forms set version = ${raised('version')}`,
    );
    await manager.query('alter table forms enable trigger forms_version');
    const [, deleted] = await manager.query<[unknown, number]>(
      `update form_uuids set last_version = ${raised('last_version')}
        where last_version > 0 and not exists (select from forms where forms.uuid = form_uuids.uuid)`,
    );
    // An instance that uses the database already evicts all forms, as after TRUNCATE.
    await manager.query(`select pg_notify('formtrail', 'truncated')`);
    return { forms, deleted };
  });
}
