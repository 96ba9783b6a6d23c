import { type Service, startService } from './service.js';
import { testDatabase, type TestDatabase } from './test-database.js';

/** A database and a service on it for one test, where it matters what else the database holds or is done to. */
export async function inOwnDatabase(
  test: (use: { database: TestDatabase; service: Service }) => Promise<void>,
  variables: Record<string, string> = {},
): Promise<void> {
  const database = await testDatabase();
  const service = await startService(database, variables);
  try {
    await test({ database, service });
  } finally {
    await service.close();
    await database.drop();
  }
}
