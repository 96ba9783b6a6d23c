import { stat } from 'node:fs/promises';
import type { DataSource } from 'typeorm';
import { type Environment, readEnvironment } from '../config/environment.js';
import type { FileStorage } from '../files/storage/file-storage.js';
import { CommandError } from './command-error.js';
import { withDatabase } from './with-database.js';

/** @throws CommandError where files are switched off */
export function filesUrl({ filesUrl }: Environment = readEnvironment(process.env)): string {
  if (filesUrl !== undefined) return filesUrl;
  throw new CommandError('Files are switched off. Set FILES_URL to what the server has.');
}

/** Runs a command on the database and the storage of files that the environment names. */
export async function withFiles<T>(
  work: (dataSource: DataSource, storage: FileStorage, environment: Environment) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment(process.env);
  const url = filesUrl(environment);
  const { openStorage } = await import('../files/storage/open-storage.js');
  const folder = url.startsWith('file:') ? await stat(new URL(url)).catch(() => undefined) : undefined;
  if (folder?.isDirectory() === false)
    throw new CommandError(`FILES_URL names a file, not a folder: ${url}. Set it to what the server has.`);
  const storage = await openStorage(url);
  return withDatabase((dataSource) => work(dataSource, storage, environment));
}
