import { randomBytes, randomUUID } from 'node:crypto';
import { createWebhookEndpoint } from '../src/entities.js';
import { useCommandLine } from './support/command-line.js';
import { buildForm } from './support/forms.js';
import { onOneServer } from './support/it-on-one-server.js';
import { startReceiver } from './support/receiver.js';

const WEBHOOK_KEY = randomBytes(32).toString('base64');
const variables = { WEBHOOK_KEY, WEBHOOK_ALLOW: '127.0.0.1' };

const use = useCommandLine();
const { run } = use;

const webhooks = (...words: string[]) => run(['webhooks', ...words], variables);
const query = <T>(sql: string, values: unknown[] = []) => use.database.dataSource.query<T[]>(sql, values);

const listen = (endpoint: { url?: string; formId?: number } = {}) =>
  createWebhookEndpoint(
    use.database.dataSource.manager,
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

onOneServer('formtrail webhooks add --without-personal', () => {
  const add = async (...words: string[]) => {
    const { status, stdout, stderr } = await webhooks('add', '--url', 'https://8.8.8.8/', ...words);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^whsec_/)]);
    return Number(/^Endpoint (\d+) /.exec(stderr)?.[1]);
  };

  it('adds an endpoint without personal data, which the list shows', async () => {
    await query('delete from webhook_endpoints');
    const without = await add('--body', 'full', '--without-personal');
    const complete = await add('--body', 'full');
    const thin = await add();
    const shown = (await webhooks('list')).stdout.trim().split('\n');
    expect(shown.map((line) => line.split(/ {2,}/).slice(0, 6))).toEqual([
      ['ID', 'STATUS', 'FORM', 'EVENTS', 'BODY', 'PERSONAL'],
      [String(without), 'active', '-', 'completed,deleted', 'full', 'no'],
      [String(complete), 'active', '-', 'completed,deleted', 'full', 'yes'],
      [String(thin), 'active', '-', 'completed,deleted', 'thin', '-'],
    ]);
    const listed = JSON.parse((await webhooks('list', '--json')).stdout);
    expect(listed.map(({ id, body, personal }: any) => [id, body, personal])).toEqual([
      [without, 'full', false],
      [complete, 'full', true],
      [thin, 'thin', true],
    ]);
  });

  it('needs full bodies', async () => {
    const added = () => query('select from webhook_endpoints');
    const before = (await added()).length;
    expect(await refusal('add', '--url', 'https://8.8.8.8/', '--without-personal')).toBe(
      'formtrail: "--without-personal" is an option of full bodies, because thin bodies have nothing that a person filled in. ' +
        'Add "--body full", or leave it out.\n',
    );
    expect(await added()).toHaveLength(before);
  });
});

onOneServer('formtrail webhooks test', () => {
  it('sends a signed webhook, or says why it was not delivered, and what to check (W7)', async () => {
    const receiver = await startReceiver();
    const { id, secret } = await listen({ url: receiver.url });
    expect(await webhooks('test', String(id))).toMatchObject({ stdout: 'Received: HTTP 204.\n' });
    receiver.verify(secret, receiver.received[0]!);
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
        `formtrail: The old secret of endpoint ${id} cannot be read, because it was encrypted with another WEBHOOK_KEY. ` +
        'Set that key and run the command again. If the key is lost, add --now: the old secret then stops signing at once.\n',
    });
    expect(await stored()).toEqual(before);
    expect((await run(['webhooks', 'rotate', String(id), '--now'], other)).status).toBe(0);
    expect(await stored()).toEqual([{ secret: expect.any(Buffer), previous_secret: null }]);
    await webhooks('remove', String(id));
  });
});

onOneServer('formtrail webhooks deliver', () => {
  it('does not start with a key that decrypts no secret, and says what to do', async () => {
    await query('delete from webhook_endpoints');
    const { id } = await listen();
    const WEBHOOK_KEY = randomBytes(32).toString('base64');
    const { status, stderr } = await run(['webhooks', 'deliver'], { ...variables, WEBHOOK_KEY });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        new RegExp(
          `^formtrail: WEBHOOK_KEY does not decrypt the secret of any webhook endpoint \\(${id}\\)\\. .*"webhooks rotate ID --now".*\\n$`,
        ),
      ),
    });
    await webhooks('remove', String(id));
  });
});

onOneServer('formtrail forms delete', () => {
  it('names the webhook endpoints of the form, and says how to remove them', async () => {
    const { form } = await buildForm(use.database.dataSource);
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
