import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type ClientOptions,
  FormtrailClient,
  FormtrailError,
  NetworkError,
  RateLimitedError,
  UnavailableError,
  type Wait,
} from '../../clients/typescript/src/index.js';

interface Received {
  readonly line: string;
  readonly key: string | undefined;
  readonly body: string;
}

type Respond = (response: ServerResponse) => void;

const UUID = '018f0000-0000-7000-8000-000000000000';

const failing =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify({ message: `No: ${status}.` }));

const succeeding: Respond = (response) => response.end(JSON.stringify({ data: {} }));

describe('the client, when the service makes it wait,', () => {
  let server: Server;
  let responses: Respond[];
  let received: Received[];
  let waits: Wait[];

  beforeEach(async () => {
    [responses, received, waits] = [[], [], []];
    server = createServer((request: IncomingMessage, response) => {
      void text(request).then((body) => {
        const key = request.headers['idempotency-key'] as string | undefined;
        received.push({ line: `${request.method} ${request.url}`, key, body });
        (responses.shift() ?? succeeding)(response);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const client = (options: ClientOptions = {}) =>
    new FormtrailClient({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      onWait: (wait) => waits.push(wait),
      ...options,
    });

  it.each([429, 503])('sends the same request again after %i', async (status) => {
    responses = [failing(status, { 'Retry-After': '0' }), failing(status, { 'Retry-After': '0' })];
    await client().createSubmission(UUID);

    expect(received).toHaveLength(3);
    expect(received[0]).toEqual({
      line: 'POST /api/v1/submissions',
      key: expect.stringMatching(/^\d+(-\d+){3}$/),
      body: JSON.stringify({ form_uuid: UUID }),
    });
    expect(received).toEqual([received[0], received[0], received[0]]);
    const url = expect.stringContaining('/api/v1/submissions');
    expect(waits).toEqual(Array(2).fill({ status, seconds: 0, method: 'POST', url }));
  });

  it('waits as long as Retry-After says', async () => {
    responses = [failing(429, { 'Retry-After': '1' })];
    const startedAt = performance.now();
    await client().listForms();
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    expect(waits).toMatchObject([{ seconds: 1 }]);
  });

  it('waits a second if the response has no Retry-After, as from some proxies', async () => {
    responses = [failing(503)];
    await client().listForms();
    expect(waits).toMatchObject([{ status: 503, seconds: 1 }]);
  });

  it.each([
    [429, RateLimitedError],
    [503, UnavailableError],
  ])('rejects at once on %i if the wait would exceed its patience', async (status, Kind) => {
    responses = [failing(status, { 'Retry-After': '66' }), failing(status, { 'Retry-After': '3' })];
    const refused: unknown = await client()
      .listForms()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Kind);
    expect(refused).toMatchObject({
      retryAfter: 66,
      message: `No: ${status}.`,
      code: undefined,
      requestId: undefined,
    });
    await expect(client({ patience: 2 }).listForms()).rejects.toMatchObject({ retryAfter: 3 });
    expect([received.length, waits]).toEqual([2, []]);
  });

  it('stops retrying if Retry-After is always 0', async () => {
    responses = Array<Respond>(100).fill(failing(503, { 'Retry-After': '0' }));
    await expect(client({ patience: 0.5 }).listForms()).rejects.toThrow(UnavailableError);
    expect(received.length).toBeLessThan(10);
  });

  it('sends a new Idempotency-Key with each creation and move, unless the caller sets one', async () => {
    const one = client();
    await one.createSubmission(UUID);
    await one.advanceSubmission(UUID);
    await one.advanceSubmission(UUID);
    await one.retreatSubmission(UUID);
    await one.advanceSubmission(UUID, { idempotencyKey: 'mine' });
    await one.storeValues(UUID, [{ field_id: 1, value: 'x' }]);
    const keys = received.map(({ key }) => key);
    expect(keys.slice(4)).toEqual(['mine', undefined]);
    expect(new Set(keys.slice(0, 4)).size).toBe(4);
  });

  it('can be aborted during a wait, and before the request is sent', async () => {
    const controller = new AbortController();
    responses = [failing(429, { 'Retry-After': '60' })];
    const onWait = () => {
      controller.abort();
    };
    const { signal } = controller;
    await expect(client({ onWait }).listForms({}, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(client().listForms({}, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(received).toHaveLength(1);
  });

  describe('rejects with NetworkError', () => {
    it('if nothing listens at the address', async () => {
      const nowhere = client({ url: 'http://127.0.0.1:1' });
      await expect(nowhere.listForms()).rejects.toThrow(NetworkError);
    });

    it.each([
      ['before the response', (response: ServerResponse) => response.socket?.destroy()],
      [
        'in the middle of the response',
        (response: ServerResponse) => {
          response.writeHead(200, { 'Content-Length': '100' }).write('{"data":');
          setTimeout(() => response.socket?.destroy(), 50);
        },
      ],
    ])('if the connection ends %s', async (_, respond) => {
      responses = [respond];
      await expect(client().listForms()).rejects.toThrow(NetworkError);
    });

    it('if a successful response is not JSON, such as the login page of a hotel network', async () => {
      responses = [(response) => response.end('<html>Welcome</html>')];
      await expect(client().listForms()).rejects.toThrow(NetworkError);
    });
  });

  it('rejects with a readable message if an error response is not JSON', async () => {
    responses = [(response) => response.writeHead(502).end('<html>Bad gateway</html>')];
    const refused: unknown = await client()
      .listForms()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(FormtrailError);
    expect(refused).toMatchObject({ status: 502, message: 'The response has the status 502.' });
  });
});
