import { Any, type DataSource, type EntityManager } from 'typeorm';
import { File } from './entities/file.js';
import { Spool } from './spool.js';
import type { StoredObjects } from './storage/file-storage.js';

export interface Sweep {
  /** Keys of the service's objects that no row references. A sweep deletes them unless it is a dry run. */
  readonly orphans: readonly string[];
  /** Keys of objects that the service did not create. A sweep never deletes them. */
  readonly strangers: readonly string[];
  /** UUIDs of files whose content is missing. */
  readonly missing: readonly string[];
  readonly files: number;
  readonly objects: number;
}

const BATCH = 1_000;

/** Milliseconds after which an upload has certainly ended. */
const MIN_AGE = 60 * 60_000;

interface ListedObject {
  readonly uuid: string;
  readonly key: string;
  readonly is_stored: boolean;
  readonly is_old: boolean;
}

type Orphan = Pick<ListedObject, 'uuid' | 'key' | 'is_stored'>;

/**
 * U7: finds objects without a row, and rows without an object. The list of objects goes to a temporary file first, so that
 * no transaction waits for the storage, and then to a temporary table, so that any number of files needs little memory.
 * Ignores objects of the last hour, which may be uploads in progress.
 */
export async function sweep(
  dataSource: DataSource,
  storage: StoredObjects,
  { dryRun, minAge = MIN_AGE }: { readonly dryRun: boolean; readonly minAge?: number },
): Promise<Sweep> {
  const listed = await Spool.open<ListedObject>();
  try {
    // Read the clock before listing: a file whose upload is created later may be stored without being in the list.
    const [{ began }] = await dataSource.query<[{ began: string }]>(
      'select clock_timestamp()::text as began',
    );
    const { objects, strangers } = await list(listed, storage, Date.now() - minAge);
    const { orphans, missing, files } = await dataSource.transaction((manager) =>
      compare(manager, listed, began),
    );
    if (!dryRun)
      for (const { uuid, is_stored } of orphans)
        await (is_stored ? storage.delete(uuid) : storage.deleteIncoming(uuid));
    return {
      orphans: orphans.map(({ key }) => key),
      strangers,
      missing: await stillMissing(dataSource, storage, missing),
      files,
      objects,
    };
  } finally {
    await listed.close();
  }
}

async function list(listed: Spool<ListedObject>, storage: StoredObjects, oldBefore: number) {
  const strangers: string[] = [];
  let batch: ListedObject[] = [];
  let objects = 0;
  for await (const { uuid, key, isStored, modifiedAt } of storage.list()) {
    objects += 1;
    if (uuid === undefined) strangers.push(key);
    else batch.push({ uuid, key, is_stored: isStored, is_old: modifiedAt.getTime() <= oldBefore });
    if (batch.length < BATCH) continue;
    await listed.add(batch);
    batch = [];
  }
  await listed.add(batch);
  return { objects, strangers };
}

async function compare(manager: EntityManager, listed: Spool<ListedObject>, began: string) {
  await manager.query(
    `create temporary table listed (uuid uuid not null, key text not null, is_stored boolean not null, is_old boolean not null)
       on commit drop`,
  );
  let batch: ListedObject[] = [];
  const insert = async () => {
    await manager.query(
      'insert into listed select * from json_to_recordset($1) as x (uuid uuid, key text, is_stored boolean, is_old boolean)',
      [JSON.stringify(batch)],
    );
    batch = [];
  };
  for await (const object of listed.items()) if (batch.push(object) === BATCH) await insert();
  await insert();
  // Ignore queued deletions, because the worker deletes their content. A signed URL allows an upload even after the
  // commit, so an upload is an orphan unless its file is pending.
  const orphans = await manager.query<Orphan[]>(
    `select uuid, key, is_stored from listed where is_old
        and not exists (select from file_deletions where file_deletions.uuid = listed.uuid)
        and not exists (select from files where files.uuid = listed.uuid and (is_stored or state = 'pending'))
      order by key`,
  );
  const missing = await manager.query<{ uuid: string }[]>(
    `select uuid from files where state in ('stored', 'clean') and created_at < $1::timestamptz
        and not exists (select from listed where listed.uuid = files.uuid and is_stored)
      order by uuid`,
    [began],
  );
  return { orphans, missing: missing.map(({ uuid }) => uuid), files: await manager.count(File) };
}

/** Checks the missing files again, because a file may have been committed or deleted while the storage was listed. */
async function stillMissing({ manager }: DataSource, storage: StoredObjects, uuids: readonly string[]) {
  const gone: string[] = [];
  for (const uuid of uuids) {
    const content = await storage.read(uuid);
    content?.destroy();
    if (content === undefined) gone.push(uuid);
  }
  const missing = await manager.find(File, { where: { uuid: Any(gone) }, order: { uuid: 'ASC' } });
  return missing.map(({ uuid }) => uuid);
}
