import {
  type ClientOptions,
  FormtrailClient,
  FormtrailError,
  NetworkError,
  RateLimitedError,
  UnavailableError,
  type Wait,
} from '../src/index.js';

interface Received {
  readonly line: string;
  readonly key: string | null;
  readonly body: string;
}

const URL = 'https://forms.example.org';
const UUID = '018f0000-0000-7000-8000-000000000000';

const failing = (status: number, retryAfter?: string) =>
  new Response(JSON.stringify({ message: `No: ${status}.` }), {
    ...{ status, headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter } },
  });

describe('the client, when the service makes it wait,', () => {
  let responses: Response[];
  let received: Received[];
  let waits: Wait[];

  beforeEach(() => {
    [responses, received, waits] = [[], [], []];
  });
  afterEach(() => jest.useRealTimers());

  const client = (options: ClientOptions = {}) =>
    new FormtrailClient({
      url: URL,
      onWait: (wait) => waits.push(wait),
      fetch: async (request) => {
        request.signal.throwIfAborted();
        const line = `${request.method} ${request.url.slice(URL.length)}`;
        received.push({ line, key: request.headers.get('Idempotency-Key'), body: await request.text() });
        return responses.shift() ?? Response.json({ data: {} });
      },
      ...options,
    });

  it.each([429, 503] as const)('sends the same request again after %i', async (status) => {
    responses = [failing(status, '0'), failing(status, '0')];
    await client().createSubmission(UUID);
    expect(received[0]).toEqual({
      line: 'POST /api/v1/submissions',
      key: expect.stringMatching(/^\d+(-\d+){3}$/),
      body: JSON.stringify({ form_uuid: UUID }),
    });
    expect(received).toEqual([received[0], received[0], received[0]]);
    const wait = { status, seconds: 0, method: 'POST', url: `${URL}/api/v1/submissions` };
    expect(waits).toEqual([wait, wait]);
  });

  // Some proxies send no Retry-After.
  it.each([
    ['2', 2],
    [undefined, 1],
  ])('waits as long as Retry-After says: %s', async (retryAfter, seconds) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    responses = [failing(503, retryAfter)];
    const listed = client().listForms();
    await jest.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect([received.length, waits]).toMatchObject([1, [{ status: 503, seconds }]]);
    await jest.advanceTimersByTimeAsync(1);
    await listed;
    expect(received).toHaveLength(2);
  });

  it.each([
    [429, RateLimitedError],
    [503, UnavailableError],
  ])('rejects at once on %i if the wait would exceed its patience', async (status, Kind) => {
    responses = [failing(status, '66'), failing(status, '3')];
    const refused = client().listForms();
    await expect(refused).rejects.toBeInstanceOf(Kind);
    await expect(refused).rejects.toMatchObject({
      ...{ retryAfter: 66, message: `No: ${status}.`, code: undefined, requestId: undefined },
    });
    await expect(client({ patience: 2 }).listForms()).rejects.toMatchObject({ retryAfter: 3 });
    expect([received.length, waits]).toEqual([2, []]);
  });

  it('stops retrying if Retry-After is always 0', async () => {
    responses = Array.from({ length: 100 }, () => failing(503, '0'));
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
    expect(keys.slice(4)).toEqual(['mine', null]);
    expect(new Set(keys.slice(0, 4)).size).toBe(4);
  });

  it('can be aborted during a wait, and before the request is sent', async () => {
    const controller = new AbortController();
    responses = [failing(429, '60')];
    const onWait = () => {
      controller.abort();
    };
    const { signal } = controller;
    await expect(client({ onWait }).listForms({}, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(client().listForms({}, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(received).toHaveLength(1);
  });

  it('rejects with NetworkError if nothing listens at the address', async () => {
    const nowhere = new FormtrailClient({ url: 'http://127.0.0.1:1' });
    await expect(nowhere.listForms()).rejects.toThrow(NetworkError);
  });

  const broken = new ReadableStream({
    start: (controller) => {
      controller.error(new TypeError('terminated'));
    },
  });
  it.each([
    ['if the connection ends in the middle of the response', new Response(broken)],
    // For example, the login page of a hotel network.
    ['if a successful response is not JSON', new Response('<html>Welcome</html>')],
  ])('rejects with NetworkError %s', async (_, response) => {
    responses = [response];
    await expect(client().listForms()).rejects.toThrow(NetworkError);
  });

  it('rejects with a readable message if an error response is not JSON', async () => {
    responses = [new Response('<html>Bad gateway</html>', { status: 502 })];
    const refused = client().listForms();
    await expect(refused).rejects.toBeInstanceOf(FormtrailError);
    await expect(refused).rejects.toMatchObject({
      status: 502,
      message: 'The response has the status 502.',
    });
  });
});
