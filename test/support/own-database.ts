import { type Service, startService } from './service.js';
import { testDatabase, type TestDatabase } from './test-database.js';

/** Gives one test its own database and service, if other tests on the same database would disturb it. */
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
    await database.close();
  }
}
