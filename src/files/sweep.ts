import type { DataSource, EntityManager } from 'typeorm';
import type { ListedObject, StoredObjects } from './storage/file-storage.js';

export interface Sweep {
  /** Objects that no row knows, by where they are. Those of the service's own are deleted, unless it is a dry run. */
  readonly orphans: readonly string[];
  /** What is there and was never the service's. It is left alone. */
  readonly strangers: readonly string[];
  /** Files of which the bytes are gone, by UUID. */
  readonly missing: readonly string[];
  /** How many files, and objects, were compared. */
  readonly files: number;
  readonly objects: number;
}

const BATCH = 1_000;

/** Milliseconds after which nobody is still uploading. */
const MIN_AGE = 60 * 60_000;

/**
 * U7: compares the storage with the tables, both ways. What is listed goes to a table of the database, so that any number of
 * files takes little memory here. Objects of the last hour are left alone: they may be uploads under way.
 */
export async function sweep(
  dataSource: DataSource,
  storage: StoredObjects,
  { dryRun, minAge = MIN_AGE }: { readonly dryRun: boolean; readonly minAge?: number },
): Promise<Sweep> {
  return dataSource.transaction(async (manager) => {
    await manager.query(
      `create temporary table listed (uuid uuid not null, key text not null, is_kept boolean not null, is_old boolean not null)
         on commit drop`,
    );
    // As of before: what is stored meanwhile is not missing.
    const [{ began }] = await manager.query<[{ began: string }]>('select clock_timestamp()::text as began');
    const { objects, strangers } = await list(manager, storage, Date.now() - minAge);
    // Bytes that are queued for deletion are the worker's to delete.
    const orphans = await manager.query<{ uuid: string; key: string }[]>(
      `select uuid, key from listed where is_old
          and not exists (select from file_deletions where file_deletions.uuid = listed.uuid)
          and not exists (select from files where files.uuid = listed.uuid)
        order by key`,
    );
    const missing = await manager.query<{ uuid: string }[]>(
      `select uuid from files where state in ('stored', 'clean') and created_at < $1::timestamptz
          and not exists (select from listed where listed.uuid = files.uuid and is_kept)
        order by uuid`,
      [began],
    );
    const [{ files }] = await manager.query<[{ files: number }]>(
      'select count(*)::integer as files from files',
    );
    if (!dryRun) for (const uuid of new Set(orphans.map(({ uuid }) => uuid))) await storage.delete(uuid);
    return {
      orphans: orphans.map(({ key }) => key),
      strangers,
      missing: await stillMissing(
        manager,
        storage,
        missing.map(({ uuid }) => uuid),
      ),
      files,
      objects,
    };
  });
}

async function list(manager: EntityManager, storage: StoredObjects, oldBefore: number) {
  const strangers: string[] = [];
  let batch: ListedObject[] = [];
  let objects = 0;
  const flush = async () => {
    const rows = batch.map(({ uuid, key, isKept, modifiedAt }) => {
      return { uuid, key, is_kept: isKept, is_old: modifiedAt.getTime() <= oldBefore };
    });
    await manager.query(
      'insert into listed select * from json_to_recordset($1) as x (uuid uuid, key text, is_kept boolean, is_old boolean)',
      [JSON.stringify(rows)],
    );
    batch = [];
  };
  for await (const object of storage.list()) {
    objects += 1;
    if (object.uuid === undefined) strangers.push(object.key);
    else batch.push(object);
    if (batch.length === BATCH) await flush();
  }
  await flush();
  return { objects, strangers };
}

/** A file that was committed or deleted while the storage was listed is not missing. */
async function stillMissing(manager: EntityManager, storage: StoredObjects, uuids: readonly string[]) {
  const gone: string[] = [];
  for (const uuid of uuids) {
    const content = await storage.read(uuid);
    content?.destroy();
    if (content === undefined) gone.push(uuid);
  }
  const missing = await manager.query<{ uuid: string }[]>(
    'select uuid from files where uuid = any ($1) order by uuid',
    [gone],
  );
  return missing.map(({ uuid }) => uuid);
}
