import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { createWebhookEndpoint } from '../src/entities.js';
import { ended, openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { onOneServer } from './support/it-on-one-server.js';
import { startReceiver } from './support/receiver.js';

const WEBHOOK_KEY = randomBytes(32).toString('base64');
const variables = { WEBHOOK_KEY, WEBHOOK_ALLOW: '127.0.0.1' };

let { database, start, run, close } = {} as OpenCommandLine;

beforeAll(async () => {
  ({ database, start, run, close } = await openCommandLine());
}, 120_000);
afterAll(() => close());

const webhooks = (...words: string[]) => run(['webhooks', ...words], variables);
const query = <T>(sql: string, values: unknown[] = []) => database.dataSource.query<T[]>(sql, values);

const listen = (endpoint: { url?: string; formId?: number } = {}) =>
  createWebhookEndpoint(
    database.dataSource.manager,
    { url: 'https://receiver.example/hook', ...endpoint },
    WEBHOOK_KEY,
  );

/** Expects that the command fails, and returns its error message. */
async function refusal(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await webhooks(...words);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).not.toMatch(/^ +at /m);
  return stderr;
}

onOneServer('formtrail webhooks redeliver', () => {
  /** Inserts a delivery to this endpoint that failed for good, and returns its id. */
  async function failed(endpointId: number): Promise<string> {
    const [{ id } = { id: '' }] = await query<{ id: string }>(
      `insert into webhook_deliveries (endpoint_id, event, submission_uuid, body, attempts, next_attempt_at, last_error)
       values ($1, 'submission.deleted', $2, '{}', 10, null, 'HTTP 500; the endpoint is disabled') returning id`,
      [endpointId, randomUUID()],
    );
    return id;
  }
  const delivery = async (id: string) =>
    (
      await query('select attempts, last_error, next_attempt_at from webhook_deliveries where id = $1', [id])
    )[0];
  const GIVEN_UP = {
    attempts: 10,
    last_error: 'HTTP 500; the endpoint is disabled',
    next_attempt_at: null,
  };

  it('resets the attempts and the last error of a webhook', async () => {
    const { id } = await listen();
    const webhook = await failed(id);
    expect(await webhooks('redeliver', webhook)).toMatchObject({ stdout: '1 webhook will be delivered.\n' });
    expect(await delivery(webhook)).toEqual({
      attempts: 0,
      last_error: null,
      next_attempt_at: expect.any(Date),
    });
  });

  it('fails for a webhook of a disabled endpoint, and says how to enable the endpoint', async () => {
    const { id } = await listen();
    const webhook = await failed(id);
    await query(`update webhook_endpoints set disabled_reason = 'no success for five days' where id = $1`, [
      id,
    ]);
    const sentence =
      `formtrail: Endpoint ${id} is disabled (no success for five days) and receives nothing. ` +
      `Enable it with "webhooks enable ${id}" first.\n`;
    expect(await refusal('redeliver', webhook)).toBe(sentence);
    expect(await refusal('redeliver', '--endpoint', String(id))).toBe(sentence);
    expect(await delivery(webhook)).toEqual(GIVEN_UP);
  });

  it('fails for a webhook of a removed endpoint, and says how to delete failed webhooks', async () => {
    const { id } = await listen();
    const webhook = await failed(id);
    await webhooks('remove', String(id));
    expect(await refusal('redeliver', webhook)).toBe(
      `formtrail: The webhook ${webhook} was for endpoint ${id}, which was removed, so it cannot be delivered any more. ` +
        '"webhooks purge" deletes failed webhooks.\n',
    );
    expect(await delivery(webhook)).toEqual(GIVEN_UP);
  });
});

onOneServer('formtrail webhooks add', () => {
  const added = async (url: string, WEBHOOK_ALLOW = '') => {
    const { status, stdout, stderr } = await run(['webhooks', 'add', '--url', url], {
      WEBHOOK_KEY,
      WEBHOOK_ALLOW,
    });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^whsec_/)]);
    const [, id = '', warning] = /^Endpoint (\d+) receives webhooks of all forms from now on\.\n(.*)$/s.exec(
      stderr,
    )!;
    expect(await query('select url from webhook_endpoints where id = $1', [id])).toEqual([{ url }]);
    return { id, warning };
  };

  it.each([
    ['http://127.0.0.1:9999/hook', '127.0.0.1', '127.0.0.1'],
    ['http://10.1.2.3/', '10.1.2.3', '10.1.2.3'],
    ['http://169.254.169.254/', '169.254.169.254', '169.254.169.254'],
    ['http://[::1]/', '[::1]', '::1'],
  ])(
    'warns that the service sends nothing to %s, and says what allows it (W5)',
    async (url, where, address) => {
      const { id, warning } = await added(url);
      expect(warning).toBe(
        `Warning: the service sends no webhooks to ${where}, because it is not a public address. To allow it, start the ` +
          `service with WEBHOOK_ALLOW=${address}. Then set this variable here too, and run "webhooks test ${id}".\n`,
      );
    },
  );

  it('warns of a name that leads only to such addresses', async () => {
    const { warning } = await added('http://localhost:9999/', '10.0.0.0/8');
    expect(warning).toMatch(
      /^Warning: the service sends no webhooks to localhost \((127\.0\.0\.1|::1).*\), .* WEBHOOK_ALLOW=10\.0\.0\.0\/8,(127|::1)/,
    );
  });

  it('does not warn of a public address, of an allowed address, or of an unknown name', async () => {
    expect(await added('https://8.8.8.8/')).toMatchObject({ warning: '' });
    expect(await added('http://127.0.0.1:9999/', '127.0.0.0/8')).toMatchObject({ warning: '' });
    expect(await added('https://receiver.invalid/')).toMatchObject({ warning: '' });
  });
});

onOneServer('formtrail webhooks test', () => {
  it('signs like deliveries: with both secrets during a rotation', async () => {
    const receiver = await startReceiver();
    const { id, secret: old } = await listen({ url: receiver.url });
    const rotated = (await webhooks('rotate', String(id))).stdout.trim();
    expect(await webhooks('test', String(id))).toMatchObject({ stdout: 'Received: HTTP 204.\n' });
    await query(`update webhook_endpoints set previous_secret_expires_at = now() where id = $1`, [id]);
    expect(await webhooks('test', String(id))).toMatchObject({ stdout: 'Received: HTTP 204.\n' });
    await receiver.close();

    const [during, after] = receiver.received;
    receiver.verify(old, during!);
    receiver.verify(rotated, during!);
    receiver.verify(rotated, after!);
    expect(() => receiver.verify(old, after!)).toThrow();
  });
});

onOneServer('formtrail webhooks test', () => {
  it('says why a webhook was not delivered, and what to check', async () => {
    const receiver = await startReceiver();
    const { id } = await listen({ url: receiver.url });
    receiver.respond = (response) => void response.writeHead(500).end();
    expect(await webhooks('test', String(id))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The receiver responded with HTTP 500.') as string,
    });
    await receiver.close();
    expect(await webhooks('test', String(id))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        `could not be sent to ${receiver.url}: ECONNREFUSED. Check that a server listens there`,
      ) as string,
    });
  });
});

onOneServer('formtrail webhooks rotate', () => {
  it('fails if WEBHOOK_KEY does not decrypt the current secret, unless --now is given', async () => {
    const { id } = await listen();
    const other = { ...variables, WEBHOOK_KEY: randomBytes(32).toString('base64') };
    const stored = () => query('select secret, previous_secret from webhook_endpoints where id = $1', [id]);
    const before = await stored();
    expect(await run(['webhooks', 'rotate', String(id)], other)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `formtrail: The secret of endpoint ${id} was encrypted with another WEBHOOK_KEY, so it cannot sign ` +
        'beside the new secret. Set that key, or add --now if the key is lost.\n',
    });
    expect(await stored()).toEqual(before);
    expect((await run(['webhooks', 'rotate', String(id), '--now'], other)).status).toBe(0);
    expect(await stored()).toEqual([{ secret: expect.any(Buffer), previous_secret: null }]);
    await webhooks('remove', String(id));
  });
});

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

  it('does not start with a wrong key, and delivers everything at the first attempt with the right key', async () => {
    await query('delete from webhook_endpoints; delete from webhook_deliveries');
    const receiver = await startReceiver();
    const { secret } = await listen({ url: receiver.url });
    const { form } = await buildForm(database.dataSource);
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

    const wrong = { ...variables, ...watched, WEBHOOK_KEY: randomBytes(32).toString('base64') };
    for (const words of [['webhooks', 'deliver'], ['serve']]) {
      const { status, stderr } = await ended(begin(words, { ...wrong, WEBHOOKS: 'inline' }));
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(
          /^formtrail: WEBHOOK_KEY does not decrypt the secret of any webhook endpoint \(\d+\)\. .*"webhooks rotate ID --now".*\n$/,
        ),
      });
    }
    expect(await query('select from webhook_outbox')).toHaveLength(20);
    expect(receiver.received).toEqual([]);

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

onOneServer('formtrail forms delete', () => {
  it('names the webhook endpoints of the form, and says how to remove them', async () => {
    const { form } = await buildForm(database.dataSource);
    const endpoints = [await listen({ formId: form.id }), await listen({ formId: form.id })];
    const [first, second] = endpoints.map(({ id }) => id);
    const outcome = await run(['forms', 'delete', form.slug, '--yes']);
    expect(outcome).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `formtrail: Webhook endpoints ${first} and ${second} are for the form "${form.slug}" only. ` +
        `Remove each of them first, with "webhooks remove ${first}" and so on.\n`,
    });
    await webhooks('remove', String(first));
    const { stderr } = await run(['forms', 'delete', form.slug, '--yes']);
    expect(stderr).toBe(
      `formtrail: Webhook endpoint ${second} is for the form "${form.slug}" only. ` +
        `Remove it first, with "webhooks remove ${second}".\n`,
    );
    await webhooks('remove', String(second));
    expect((await run(['forms', 'delete', form.slug, '--yes'])).status).toBe(0);
  });
});
