import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { createWebhookEndpoint } from '../src/entities.js';
import { ended, useCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { onOneServer } from './support/it-on-one-server.js';
import { startReceiver } from './support/receiver.js';

const WEBHOOK_KEY = randomBytes(32).toString('base64');
const variables = { WEBHOOK_KEY, WEBHOOK_ALLOW: '127.0.0.1' };

const use = useCommandLine();
const { start } = use;

const query = <T>(sql: string, values: unknown[] = []) => use.database.dataSource.query<T[]>(sql, values);

onOneServer('formtrail webhooks deliver', () => {
  /** Milliseconds. Long enough for processes to start. */
  const PATIENCE = 60_000;
  const children: ChildProcess[] = [];
  const begin = (words: string[], variables: NodeJS.ProcessEnv) => {
    const child = start(words, variables);
    children.push(child);
    return child;
  };
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** Waits for the start of the process, and returns the URL of its metrics. */
  async function metricsOf(child: ChildProcess): Promise<string> {
    for await (const line of createInterface({ input: child.stdout! })) {
      const { metricsUrl } = line.startsWith('{') ? JSON.parse(line) : {};
      if (metricsUrl !== undefined) return metricsUrl;
    }
    throw new Error('it ended, and had no metrics');
  }
  async function valueOf(url: string, series: string): Promise<number | undefined> {
    const text = await (await fetch(url)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length));
  }

  it('delivers everything at the first attempt, and exports metrics, as does a server that delivers nothing', async () => {
    const receiver = await startReceiver();
    const { secret } = await createWebhookEndpoint(
      use.database.dataSource.manager,
      { url: receiver.url },
      WEBHOOK_KEY,
    );
    const { form } = await buildForm(use.database.dataSource);
    const [user] = await query<{ id: number }>(
      `insert into users (email) values ('w@example.org') returning id`,
    );
    await query(
      `insert into submissions (uuid, form_id, user_id, status)
       select gen_random_uuid(), $1, $2, 'completed' from generate_series(1, 20)`,
      [form.id, user!.id],
    );
    await query(`update webhook_outbox set created_at = now() - interval '10 minutes'`);

    // A server without deliveries and without a key reports the outbox in its metrics.
    const watched = { METRICS_PORT: '0', PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'info' };
    const server = begin(['serve'], { ...watched, WEBHOOKS: 'off' });
    const ofServer = await metricsOf(server);
    expect(await valueOf(ofServer, 'formtrail_webhook_outbox_events')).toBe(20);
    expect(await valueOf(ofServer, 'formtrail_webhook_oldest_due_seconds')).toBeGreaterThanOrEqual(600);
    expect(await valueOf(ofServer, 'formtrail_webhook_attempts_total{outcome="failed"}')).toBeUndefined();

    const deliverer = begin(['webhooks', 'deliver'], { ...variables, ...watched });
    const ofDeliverer = await metricsOf(deliverer);
    await eventually('all of them', () => receiver.received.length === 20, PATIENCE);
    for (const hook of receiver.received) receiver.verify(secret, hook);
    await eventually('nothing that waits', async () => {
      return (await query('select from webhook_deliveries')).length === 0;
    });
    const attempts = (outcome: string) =>
      valueOf(ofDeliverer, `formtrail_webhook_attempts_total{outcome="${outcome}"}`);
    expect([await attempts('delivered'), await attempts('failed'), await attempts('gave_up')]).toEqual([
      20, 0, 0,
    ]);
    for (const name of ['endpoints_disabled_total', 'undecryptable_endpoints'])
      expect(await valueOf(ofDeliverer, `formtrail_webhook_${name}`)).toBe(0);
    const state = (url: string) => valueOf(url, 'formtrail_webhook_oldest_due_seconds');
    for (const url of [ofServer, ofDeliverer])
      await eventually('nothing that is due', async () => (await state(url)) === 0, PATIENCE);
    for (const child of [deliverer, server]) {
      const outcome = ended(child);
      child.kill('SIGTERM');
      expect((await outcome).status).toBe(0);
    }
    await receiver.close();
  }, 180_000);
});
