import type { DataSource } from 'typeorm';
import type { Environment } from '../../../config/environment.js';
import { readEnvironment } from '../../../server/read-environment.js';
import { requireOneServer } from '../../../database/distribution.js';
import type { FileSettings } from '../settings.js';
import type { StoredObjects } from '../storage/file-storage.js';
import { CommandError } from '../../../cli/command-error.js';
import { withDatabase } from '../../../cli/with-database.js';

/**
 * Opens the storage that FILES_URL names.
 *
 * @throws CommandError if FILES_URL is not set
 */
export async function openFiles(environment?: Environment) {
  const { filesUrl } = (environment ?? (await readEnvironment(process.env))).of<FileSettings>();
  if (filesUrl === undefined)
    throw new CommandError('Files are switched off. Set FILES_URL to the value that the server has.');
  const { openStorage } = await import('../storage/open-storage.js');
  return withStorageErrors(await openStorage(filesUrl), filesUrl);
}

/** Runs a command on the database and the storage of files that the environment names. */
export async function withFiles<T>(
  work: (dataSource: DataSource, storage: StoredObjects, environment: Environment) => Promise<T>,
): Promise<T> {
  const environment = await readEnvironment(process.env);
  const storage = await openFiles(environment);
  return withDatabase(async (dataSource) => {
    await requireOneServer(dataSource, 'Files', 'Remove FILES_URL.');
    return work(dataSource, storage, environment);
  });
}

/** Adds the name of the storage's variables to errors, because they would otherwise look like errors of the database. */
function withStorageErrors(storage: StoredObjects, url: string): StoredObjects {
  const rethrow = (error: unknown): never => {
    const { message, name } = error as Error;
    const variables = url.startsWith('s3:') ? 'FILES_URL and the AWS_ variables' : 'FILES_URL';
    throw new CommandError(
      `The storage of files, ${url}, failed: ${message || name}. Set ${variables} to the values of the server, and run the command again.`,
    );
  };
  return {
    read: (uuid, range) => storage.read(uuid, range).catch(rethrow),
    delete: (uuid) => storage.delete(uuid).catch(rethrow),
    deleteIncoming: (uuid) => storage.deleteIncoming(uuid).catch(rethrow),
    async *list() {
      try {
        yield* storage.list();
      } catch (error) {
        rethrow(error);
      }
    },
  };
}
