import { once } from 'node:events';
import net from 'node:net';
import { pino } from 'pino';
import { withAnySchema } from '../src/cli/with-database.js';
import { deliver } from '../src/server/deliver.js';
import { Lifecycle } from '../src/health/lifecycle.js';
import type { ConnectionDrain } from '../src/http/wire/connection-drain.js';
import { serve } from '../src/server/serve.js';
import { stopOnSignal } from '../src/server/stop-on-signal.js';
import type { Tracing } from '../src/tracing/open-telemetry.js';
import { eventually } from './support/eventually.js';
import { type TestDatabase, testDatabase } from './support/test-database.js';
import { asAnotherProgram } from './support/test-server.js';

/** If closing a resource fails, all other resources are still closed, and the first error is reported. */

let database: TestDatabase;
let empty: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  empty = await testDatabase('template0');
});
afterAll(async () => {
  await database.drop();
  await empty.drop();
});

const collectorIsGone = () => Promise.reject(new Error('The collector of traces is gone.'));

/** Tracing whose `stop()` fails. */
const tracing: Tracing = {
  fields: () => ({}),
  inSpan: (_, work) => work(() => undefined),
  reportTo: () => undefined,
  stop: jest.fn(),
};
beforeEach(() => jest.mocked(tracing.stop).mockImplementation(collectorIsGone));
afterEach(() => {
  jest.restoreAllMocks();
  jest.mocked(tracing.stop).mockReset();
});

/** Listens on a free loopback port. */
async function listening(): Promise<{ port: number; server: net.Server }> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as net.AddressInfo).port, server };
}

function isListening(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

it('a server that cannot start reports why, even if closing fails, and closes all other resources', async () => {
  const listeners = process.listeners('uncaughtException');
  const [taken, metrics] = [await listening(), await listening()];
  metrics.server.close();
  const variables = {
    DATABASE_URL: database.url,
    PORT: String(taken.port),
    METRICS_PORT: String(metrics.port),
    LOG_LEVEL: 'silent',
  };
  await expect(serve(variables, process.cwd(), tracing)).rejects.toThrow(
    `Port ${taken.port} of 127.0.0.1 is in use`,
  );
  taken.server.close();
  expect(tracing.stop).toHaveBeenCalledTimes(1);
  // The metrics server is closed even though the tracing failed to stop.
  expect(await isListening(metrics.port)).toBe(false);
  await eventually('nobody listens for changes', () =>
    asAnotherProgram(database.connection, async (client) => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'formtrail-listener'`,
      );
      return rowCount === 0;
    }),
  );
  for (const listener of process.listeners('uncaughtException'))
    if (!listeners.includes(listener)) process.off('uncaughtException', listener);
});

it('a webhook worker that cannot start reports why, even if closing fails', async () => {
  const variables = { DATABASE_URL: empty.url, LOG_LEVEL: 'silent', WEBHOOK_KEY: '' };
  await expect(deliver(variables, process.cwd(), tracing)).rejects.toThrow(
    'The schema of the database is behind.',
  );
  expect(tracing.stop).toHaveBeenCalledTimes(1);
});

it('a command ends with its own error, and prints the error of closing too', async () => {
  const said: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const before = process.env['DATABASE_URL'];
  process.env['DATABASE_URL'] = database.url;
  try {
    const command = withAnySchema(async (dataSource) => {
      // Closing the data source twice fails.
      await dataSource.destroy();
      throw new Error('the first error');
    });
    await expect(command).rejects.toThrow('the first error');
    expect(said).toEqual([expect.stringMatching(/^Closing failed too: .+\n$/)]);
    // This command fails only while closing, so it ends with the error of closing.
    await expect(withAnySchema((dataSource) => dataSource.destroy())).rejects.not.toThrow('the first error');
  } finally {
    if (before === undefined) delete process.env['DATABASE_URL'];
    else process.env['DATABASE_URL'] = before;
  }
});

it('a server that stops closes everything, and ends with status 1 if closing fails', async () => {
  const ended: unknown[] = [];
  jest.spyOn(process, 'exit').mockImplementation((code) => ended.push(code) as never);
  const closed: string[] = [];
  const close = (name: string) => () => {
    closed.push(name);
    return name === 'good' ? Promise.resolve() : Promise.reject(new Error(name));
  };
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line) => logged.push(JSON.parse(line).err.message) });
  const connections = { end: close('connections') } as unknown as ConnectionDrain;
  const before = process.listeners('SIGINT');
  const timers = jest.spyOn(global, 'setTimeout');
  stopOnSignal(
    { shutdownTimeout: 60 },
    { http: { lifecycle: new Lifecycle(), connections }, closing: [close('bad'), close('good')], logger },
  );
  const added = process.listeners('SIGINT').filter((listener) => !before.includes(listener));
  process.emit('SIGINT', 'SIGINT');
  await eventually('the process ends', () => ended.length > 0);
  expect({ ended, closed, logged }).toEqual({
    ended: [1],
    closed: ['connections', 'bad', 'good'],
    logged: ['connections', 'bad'],
  });
  for (const listener of added) process.off('SIGINT', listener);
  // Clears the timer that ends the process after SHUTDOWN_TIMEOUT.
  for (const { value } of timers.mock.results) clearTimeout(value as NodeJS.Timeout);
});
