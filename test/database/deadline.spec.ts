import { Database } from '../../src/database/database.js';
import { OverloadedError, RowLockedError } from '../../src/database/database-errors.js';
import type { Executor } from '../../src/database/statement.js';
import { readEnvironment } from '../support/read-environment.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

/** Milliseconds, longer than a request may wait in all. */
const LONG_AGO = 60_000;

describe('what a request does in several parts has one deadline', () => {
  let opened: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    opened = await testDatabase();
    database = new Database(opened.dataSource, readEnvironment({}));
    await database.onModuleInit();
  });
  afterAll(async () => {
    database.onModuleDestroy();
    await opened.close();
  });

  /** Work that succeeds in the third attempt, because a row is locked until then. */
  function lockedTwice() {
    let attempts = 0;
    const work = () => {
      attempts += 1;
      return attempts < 3 ? Promise.reject(new RowLockedError()) : Promise.resolve('done');
    };
    return { work, attempts: () => attempts };
  }
  const ways: Record<string, (executor: Executor, work: () => Promise<string>) => Promise<string>> = {
    'work outside of transactions': (executor, work) => executor.retryWhileLocked('a row', work),
    'a transaction': (executor, work) => executor.transaction(work, 'a row'),
  };

  it.each(Object.entries(ways))('%s is retried while there is time', async (_, run) => {
    const { work, attempts } = lockedTwice();
    const request = { arrivedAt: performance.now() };
    expect(await run(database.forRequest(request), work)).toBe('done');
    expect(attempts()).toBe(3);
  });

  it.each(Object.entries(ways))('%s is tried once if earlier parts have used the time', async (_, run) => {
    const { work, attempts } = lockedTwice();
    const request = { arrivedAt: performance.now() - LONG_AGO };
    await expect(run(database.forRequest(request), work)).rejects.toThrow(OverloadedError);
    expect(attempts()).toBe(1);
  });

  it('a transaction in retried work is repeated with the whole work', async () => {
    let whole = 0;
    const { work, attempts } = lockedTwice();
    const request = database.forRequest({ arrivedAt: performance.now() });
    const result = await request.retryWhileLocked('a row', (executor) => {
      whole += 1;
      return executor.transaction(work, 'a row');
    });
    expect([result, whole, attempts()]).toEqual(['done', 3, 3]);
  });
});
