import { fork } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

/** Starts the PostgreSQL server of the whole run. Services count requests in the Redis of REDIS_URL, if it is set. */
export default async function setUp() {
  const server = fork(new URL('./database-server.mjs', import.meta.url), { execArgv: [] });
  const exit = once(server, 'exit');
  const failure = exit.then(([status]) => {
    throw new Error(`The database server of the tests ended with ${status}; see above.`);
  });
  const [description] = await Promise.race([once(server, 'message'), failure]);
  failure.catch(() => undefined);
  // test-server.ts reads this variable.
  process.env.FORMTRAIL_TEST_SERVER = JSON.stringify(description);
  // Processes that tests start must not inherit these variables, because they would write to the wrong database.
  delete process.env.DATABASE_URL;
  delete process.env.REDIS_URL;
  globalThis.endTestServer = async () => {
    server.disconnect();
    await exit;
  };
}
