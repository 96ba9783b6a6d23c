import type { DataSource } from 'typeorm';
import { closeAfter } from '../process/close-all.js';
import type { Environment } from '../config/environment.js';
import type { Connection } from '../database/connection.js';
import { sayToOperator } from '../process/say-to-operator.js';
import { CommandError, Interrupted } from './command-error.js';
import { sayClosingFailed } from './output.js';

/**
 * Runs a command on the database of the environment, embedded or not. A server may use the database meanwhile.
 *
 * @throws StartError if the database cannot be used; CommandError if it has pending migrations and is not embedded
 */
export function withDatabase<T>(work: Work<T>): Promise<T> {
  return withAnySchema(async (dataSource, environment, connection) => {
    await ensureSchema(dataSource, environment);
    return work(dataSource, environment, connection);
  });
}

/** `connection` is for connections besides the pool. */
type Work<T> = (dataSource: DataSource, environment: Environment, connection: Connection) => Promise<T>;

/** Like {@link withDatabase}, but does not check the schema. Loads TypeORM only now, so that the help appears at once. */
export async function withAnySchema<T>(work: Work<T>): Promise<T> {
  const { readEnvironment } = await import('../server/read-environment.js');
  const { createDataSource, initialize } = await import('../server/data-source.js');
  const { openDatabase } = await import('../server/open-database.js');
  const environment = await readEnvironment(process.env, sayToOperator);
  const interruption = awaitInterruption();
  const closing: (() => Promise<void>)[] = [];
  const workOnDatabase = async () => {
    const database = await openDatabase(environment, sayToOperator);
    closing.unshift(() => database.release());
    const { connection, configuredBy } = database.direct;
    const dataSource = createDataSource(connection, { size: 2, deadlines: false });
    await initialize(dataSource, configuredBy);
    // After an interruption, this closes the connection that `work` uses. PostgreSQL then rolls the transaction back.
    closing.unshift(() => dataSource.destroy());
    return Promise.race([work(dataSource, environment, connection), interruption.promise]);
  };
  return closeAfter(workOnDatabase, closing, sayClosingFailed).finally(interruption.ignore);
}

async function ensureSchema(dataSource: DataSource, { databaseUrl }: Environment): Promise<void> {
  const { migrate, migrationStatus } = await import('../migrations/migrate.js');
  if ((await migrationStatus(dataSource)).every(({ isApplied }) => isApplied)) return;
  if (databaseUrl !== undefined)
    throw new CommandError('The schema of the database is behind. Run the command "db migrate" first.');
  await migrate(dataSource);
}

/** `promise` rejects at the first signal. A second signal of the same kind ends the process at once, as by default. */
function awaitInterruption(): { promise: Promise<never>; ignore: () => void } {
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<never>((_, rejectPromise) => (reject = rejectPromise));
  // Without this handler, a rejection before anything awaits the promise would be an unhandled rejection.
  promise.catch(() => undefined);
  const onInterrupt = () => reject(new Interrupted('SIGINT'));
  const onTerminate = () => reject(new Interrupted('SIGTERM'));
  process.once('SIGINT', onInterrupt).once('SIGTERM', onTerminate);
  return { promise, ignore: () => process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate) };
}
