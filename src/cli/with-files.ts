import type { DataSource } from 'typeorm';
import { type Environment, readEnvironment } from '../config/environment.js';
import type { StoredObjects } from '../files/storage/file-storage.js';
import { CommandError } from './command-error.js';
import { withDatabase } from './with-database.js';

/**
 * The storage of files that the environment names.
 *
 * @throws CommandError where files are switched off
 */
export async function openFiles(
  { filesUrl }: Environment = readEnvironment(process.env),
): Promise<StoredObjects> {
  if (filesUrl === undefined)
    throw new CommandError('Files are switched off. Set FILES_URL to what the server has.');
  const { openStorage } = await import('../files/storage/open-storage.js');
  return blamed(await openStorage(filesUrl), filesUrl);
}

/** Runs a command on the database and the storage of files that the environment names. */
export async function withFiles<T>(
  work: (dataSource: DataSource, storage: StoredObjects, environment: Environment) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment(process.env);
  const storage = await openFiles(environment);
  return withDatabase((dataSource) => work(dataSource, storage, environment));
}

/** So that what fails there is not taken for the database's. */
function blamed(storage: StoredObjects, url: string): StoredObjects {
  const blame = (error: unknown): never => {
    const { message, name } = error as Error;
    const variables = url.startsWith('s3:') ? 'FILES_URL and what begins with AWS_' : 'FILES_URL';
    throw new CommandError(
      `The storage of files, ${url}, failed: ${message || name}. Check that ${variables} is what the server has.`,
    );
  };
  return {
    read: (uuid, range) => storage.read(uuid, range).catch(blame),
    delete: (uuid) => storage.delete(uuid).catch(blame),
    deleteIncoming: (uuid) => storage.deleteIncoming(uuid).catch(blame),
    async *list() {
      try {
        yield* storage.list();
      } catch (error) {
        blame(error);
      }
    },
  };
}
