import { randomBytes, randomUUID } from 'node:crypto';
import { createWebhookEndpoint } from '../src/entities.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { buildForm } from './support/forms.js';
import { onOneServer } from './support/it-on-one-server.js';
import { startReceiver } from './support/receiver.js';

const WEBHOOK_KEY = randomBytes(32).toString('base64');
const variables = { WEBHOOK_KEY, WEBHOOK_ALLOW: '127.0.0.1' };

let { database, run, close } = {} as OpenCommandLine;

beforeAll(async () => {
  ({ database, run, close } = await openCommandLine());
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

/** What a command says that fails with a sentence. */
async function refusal(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await webhooks(...words);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).not.toMatch(/^ +at /m);
  return stderr;
}

onOneServer('formtrail webhooks redeliver', () => {
  /** A webhook that this endpoint was given up for. */
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

  it('begins at the first attempt again, and with no error of those before', async () => {
    const { id } = await listen();
    const webhook = await failed(id);
    expect(await webhooks('redeliver', webhook)).toMatchObject({ stdout: '1 webhook will be delivered.\n' });
    expect(await delivery(webhook)).toEqual({
      attempts: 0,
      last_error: null,
      next_attempt_at: expect.any(Date),
    });
  });

  it('refuses what a disabled endpoint would not be told, and says how it is told again', async () => {
    const { id } = await listen();
    const webhook = await failed(id);
    await query(`update webhook_endpoints set disabled_reason = 'no success for five days' where id = $1`, [
      id,
    ]);
    const sentence =
      `formtrail: Endpoint ${id} is disabled (no success for five days), and is told of nothing. ` +
      `Let it be told again with "webhooks enable ${id}" first.\n`;
    expect(await refusal('redeliver', webhook)).toBe(sentence);
    expect(await refusal('redeliver', '--endpoint', String(id))).toBe(sentence);
    expect(await delivery(webhook)).toEqual(GIVEN_UP);
  });

  it('refuses what is of a removed endpoint, and says how it is deleted', async () => {
    const { id } = await listen();
    const webhook = await failed(id);
    await webhooks('remove', String(id));
    expect(await refusal('redeliver', webhook)).toBe(
      `formtrail: The webhook ${webhook} was for endpoint ${id}, which was removed, and can be delivered no more. ` +
        '"webhooks purge" deletes what was given up.\n',
    );
    expect(await delivery(webhook)).toEqual(GIVEN_UP);
  });
});

onOneServer('formtrail webhooks test', () => {
  it('signs as deliveries are signed: by both secrets while one replaces the other', async () => {
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

onOneServer('formtrail forms delete', () => {
  it('names the endpoints that are told of the form, and how they are removed', async () => {
    const { form } = await buildForm(database.dataSource);
    const endpoints = [await listen({ formId: form.id }), await listen({ formId: form.id })];
    const [first, second] = endpoints.map(({ id }) => id);
    const outcome = await run(['forms', 'delete', form.slug, '--yes']);
    expect(outcome).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `formtrail: Webhook endpoints ${first} and ${second} are told of the form "${form.slug}". ` +
        `Remove each of them first, with "webhooks remove ${first}" and so on.\n`,
    });
    await webhooks('remove', String(first));
    const { stderr } = await run(['forms', 'delete', form.slug, '--yes']);
    expect(stderr).toBe(
      `formtrail: Webhook endpoint ${second} is told of the form "${form.slug}". ` +
        `Remove it first, with "webhooks remove ${second}".\n`,
    );
    await webhooks('remove', String(second));
    expect((await run(['forms', 'delete', form.slug, '--yes'])).status).toBe(0);
  });
});
