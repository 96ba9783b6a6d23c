import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhookEndpoint, User } from '../../src/entities.js';
import { build } from '../support/built-service.js';
import { commandLine, type CommandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { startReceiver } from '../support/receiver.js';
import type { TestDatabase } from '../support/test-database.js';
import { PostgresServer } from './support/postgres-server.js';

const KEY = randomBytes(32).toString('base64');
/** How many processes are killed. */
const KILLS = Number(process.env['WEBHOOK_KILLS'] ?? 12);
/** Maximum milliseconds between the first receipt and the kill, which comes at a random moment. */
const KILLED_WITHIN = 300;
const PATIENCE = 180_000;

let server: PostgresServer;
let database: TestDatabase;
let directory: string;
let start: CommandLine['start'];
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let form: number;
let user: number;

jest.setTimeout(600_000 + KILLS * 10_000);

beforeAll(() => build(), 120_000);
beforeEach(async () => {
  server = await PostgresServer.create();
  database = await server.database();
  directory = await mkdtemp(path.join(tmpdir(), 'formtrail-webhooks-'));
  ({ start } = commandLine({ databaseUrl: database.url, directory }));
  receiver = await startReceiver();
  ({ id: form } = (await buildForm(database.dataSource)).form);
  const { manager } = database.dataSource;
  ({ id: user } = await manager.save(manager.create(User, { email: 'ada@example.org' })));
});
afterEach(async () => {
  await receiver.close();
  await database.close();
  await rm(directory, { recursive: true, force: true });
});

const deliverer = () =>
  start(['webhooks', 'deliver'], { WEBHOOK_KEY: KEY, WEBHOOK_ALLOW: '127.0.0.1' }, { stdio: 'ignore' });

async function end(child: ReturnType<CommandLine['start']>, signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

const listen = () =>
  createWebhookEndpoint(
    database.dataSource.manager,
    { url: receiver.url, events: ['submission.completed'] },
    KEY,
  );

/** Inserts completed submissions. */
async function complete(count: number): Promise<void> {
  await database.dataSource.query(
    `insert into submissions (uuid, form_id, user_id, status)
     select gen_random_uuid(), $1, $2, 'completed' from generate_series(1, $3)`,
    [form, user, count],
  );
}

async function countOf(sql: string): Promise<number> {
  const [{ count }] = await database.dataSource.query<[{ count: number }]>(
    `select count(*)::integer as count from ${sql}`,
  );
  return count;
}
const pending = async () => (await countOf('webhook_outbox')) + (await countOf('webhook_deliveries'));

/** Deliveries that a killed process has claimed. They are due again after a minute. */
const CLAIMED = `webhook_deliveries where next_attempt_at > now()`;

/** Pretends that this minute has passed. */
const expireClaims = () =>
  database.dataSource.query(`update ${CLAIMED.replace(' where', ' set next_attempt_at = now() where')}`);

function drained(child: ReturnType<CommandLine['start']>): Promise<unknown> {
  return eventually(
    'an empty outbox',
    async () => {
      if (child.exitCode !== null) throw new Error('The process that delivers has ended by itself.');
      return (await pending()) === 0;
    },
    PATIENCE,
  );
}

/** Expects that all committed webhooks have arrived. Prints how many arrived more than once. */
function expectNoneLost(title: string, expected: number, interrupted: number): void {
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'] as string);
  const distinct = new Set(ids).size;
  process.stdout.write(
    `${title}: ${expected} webhooks, ${interrupted} interrupted, ${ids.length - distinct} arrived again, ${expected - distinct} lost\n`,
  );
  expect(distinct).toBe(expected);
}

it('no delivery is lost when its process is killed between commit and receipt', async () => {
  const ENDPOINTS = 4;
  for (let at = 0; at < ENDPOINTS; at += 1) await listen();
  // Half of the responses are late, so that some processes are killed before they receive them.
  receiver.respond = (response) => {
    void sleep(Math.random() < 0.5 ? 0 : 300).then(() => response.writeHead(204).end());
  };
  let completed = 0;
  let interrupted = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = deliverer();
    const before = receiver.received.length;
    await complete(5);
    completed += 5;
    await eventually('deliveries', () => receiver.received.length > before, PATIENCE);
    const killAt = performance.now() + Math.random() * KILLED_WITHIN;
    // Commit more submissions, so that the outbox is never empty for long.
    while (performance.now() < killAt) {
      await complete(1);
      completed += 1;
    }
    await end(child, 'SIGKILL');
    interrupted += await countOf(CLAIMED);
    await expireClaims();
  }
  receiver.respond = (response) => void response.writeHead(204).end();
  const last = deliverer();
  await drained(last);
  await end(last, 'SIGTERM');
  expectNoneLost(`${KILLS} kills`, completed * ENDPOINTS, interrupted);
});

it('no delivery is lost when the database crashes, and deliveries continue when it is back', async () => {
  await listen();
  const child = deliverer();
  await complete(200);
  await eventually('deliveries', () => receiver.received.length > 20, PATIENCE);
  await server.stop('SIGKILL');
  await server.start();
  await complete(200);
  await expireClaims();
  await drained(child);
  await end(child, 'SIGTERM');
  expectNoneLost('crash of the database', 400, 0);
});

it('a webhook is delivered again if its receiver responds after the timeout', async () => {
  await listen();
  let isFirst = true;
  receiver.respond = (response) => {
    const pause = isFirst ? 16_000 : 0;
    isFirst = false;
    void sleep(pause).then(() => response.writeHead(204).end());
  };
  const child = deliverer();
  await complete(1);
  await eventually('another attempt', () => receiver.received.length === 2, PATIENCE);
  await drained(child);
  await end(child, 'SIGTERM');
  expectNoneLost('a late receiver', 1, 1);
});
