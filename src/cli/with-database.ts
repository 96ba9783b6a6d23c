import type { DataSource } from 'typeorm';
import { closeAfter } from '../process/close-all.js';
import { readEnvironment, StartError } from '../config/environment.js';
import { createDataSource, initialize } from '../server/data-source.js';
import { migrate, migrationStatus } from '../migrations/migrate.js';
import { openDatabase } from '../server/open-database.js';
import { Interrupted } from './command-error.js';
import { say, sayClosingFailed } from './output.js';

/**
 * Runs a command on the database of the environment, embedded or not, also while a server runs on it.
 *
 * @throws StartError when the database cannot be used, or when its schema is behind
 */
export function withDatabase<T>(work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  return withAnySchema(async (dataSource, isEmbedded) => {
    await ensureSchema(dataSource, isEmbedded);
    return work(dataSource);
  });
}

/** The same without a look at the schema. */
export async function withAnySchema<T>(
  work: (dataSource: DataSource, isEmbedded: boolean) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment(process.env, say);
  const interruption = awaitInterruption();
  const closing: (() => Promise<void>)[] = [];
  const workOnDatabase = async () => {
    const database = await openDatabase(environment, say);
    closing.unshift(() => database.release());
    const { connection, configuredBy } = database.direct;
    const dataSource = createDataSource(connection, { size: 2, deadlines: false });
    await initialize(dataSource, configuredBy);
    // Cuts the connection of work that was interrupted, which rolls its transaction back.
    closing.unshift(() => dataSource.destroy());
    const isEmbedded = environment.databaseUrl === undefined;
    return Promise.race([work(dataSource, isEmbedded), interruption.promise]);
  };
  return closeAfter(workOnDatabase, closing, sayClosingFailed).finally(interruption.ignore);
}

async function ensureSchema(dataSource: DataSource, isEmbedded: boolean): Promise<void> {
  if ((await migrationStatus(dataSource)).every(({ isApplied }) => isApplied)) return;
  if (!isEmbedded) {
    throw new StartError('The schema of the database is behind. Run the command "db migrate" first.');
  }
  await migrate(dataSource);
}

/** The second signal of a kind ends the process at once, as usual. */
function awaitInterruption(): { promise: Promise<never>; ignore: () => void } {
  const { promise, reject } = withRejection();
  const onInterrupt = () => reject(new Interrupted('SIGINT'));
  const onTerminate = () => reject(new Interrupted('SIGTERM'));
  process.once('SIGINT', onInterrupt).once('SIGTERM', onTerminate);
  return {
    promise,
    ignore: () => process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate),
  };
}

function withRejection(): { promise: Promise<never>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<never>((_, rejectPromise) => (reject = rejectPromise));
  // It may come while nobody waits for it yet.
  promise.catch(() => undefined);
  return { promise, reject };
}
