import type { Socket } from 'node:net';
import { eventually } from '../support/eventually.js';
import { openSocket } from '../support/raw.js';
import { asAnotherProgram } from '../support/test-server.js';
import { send } from './support/load.js';
import { metric, newDrafts, type RunningService, startOn, useFaults } from './support/use-service.js';

const use = useFaults();
const CLIENTS = 200;
const ROUNDS = 3;
/** Half of a body of 1 MB. All rounds together send several times the memory that the service may use. */
const HALF_A_BODY = ' '.repeat(500_000);

/** Sends the request on many connections, then resets all of them. */
async function hangUp(service: RunningService, request: string): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => openSocket(service.url)));
  const send = (socket: Socket) =>
    new Promise<void>((resolve) => {
      socket.on('error', () => undefined);
      socket.write(request, () => {
        resolve();
      });
    });
  await Promise.all(sockets.map(send));
  for (const socket of sockets) socket.resetAndDestroy();
}

it('clients that disconnect during a request leave no connections, transactions or memory behind', async () => {
  const service = await startOn(use, {
    DATABASE_POOL_SIZE: '4',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    NODE_OPTIONS: '--max-old-space-size=64',
  });
  const [path = ''] = await newDrafts(use, service, 1);
  const head = (line: string, rest = '') =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${use.plainToken}\r\n${rest}\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const state = async () => ({
    inUse: await metric(service, 'formtrail_database_pool_connections{state="in_use"}'),
    waiting: await metric(service, 'formtrail_database_pool_waiting'),
  });

  for (let round = 0; round < ROUNDS; round += 1) {
    await hangUp(service, 'GET /api/v1/forms HTTP/1.1\r\nHost: x\r\nX-Unfini');
    await hangUp(service, head(`POST ${path}/values`, `${json}Content-Length: 1000000\r\n`) + HALF_A_BODY);
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('begin');
      await program.query('select from submissions where uuid = $1 for update', [path.split('/').at(-1)]);
      await hangUp(service, head(`POST ${path}/advance`, `Idempotency-Key: ${round}\r\n`));
      await program.query('rollback');
    });
    await hangUp(service, head('GET /api/v1/forms/none/by-slug'));
  }

  await eventually(
    'nothing is under way any more',
    async () => JSON.stringify(await state()) === JSON.stringify({ inUse: 0, waiting: 0 }),
    20_000,
  );
  // A request that waits for a row retries for up to two seconds, even after its client has disconnected.
  await eventually('no transaction is open', async () => {
    const [row] = await use.database.dataSource.query<{ count: number }[]>(
      `select count(*)::int from pg_stat_activity
        where datname = current_database() and application_name = 'formtrail' and state like 'idle in transaction%'`,
    );
    return row?.count === 0;
  });
  const { status, body } = await send({ ...service, plainToken: use.plainToken }, { method: 'GET', path });
  expect(status).toBe(200);
  // No client got a response, but the requests of a round may have moved the submission once, because they share a key.
  expect(body.data.current_step).toBeLessThanOrEqual(2);
  expect(service.stdout).toContain('"status":499');
  expect(service.stdout).not.toContain('"level":60');
  expect(service.stderr).toBe('');
});
