import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sender } from './sender.js';

describe('a sender', () => {
  let server: Server;
  let requests = 0;
  let respond: RequestListener;
  let port: number;
  const senders: Sender[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests += 1;
      respond(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(() => {
    requests = 0;
    respond = (_, response) => void response.writeHead(200).end('ok');
  });
  afterAll(async () => {
    for (const sender of senders) await sender.close();
    server.closeAllConnections();
    server.close();
  });

  interface Options {
    readonly host?: string;
    readonly to?: number;
    readonly allow?: string[];
    readonly resolve?: typeof lookup;
    readonly timeout?: number;
  }
  /** Sends a webhook to the server. By default its address is allowed. */
  const send = ({ host = '127.0.0.1', to = port, allow = ['127.0.0.1'], resolve, timeout }: Options = {}) => {
    const sender = new Sender(allow, resolve, timeout);
    senders.push(sender);
    return sender.post(`http://${host}:${to}/`, {}, '{}');
  };
  /** Returns a resolver whose calls return these addresses in order, and then the last address again. */
  const resolvingTo = (...addresses: string[]) => {
    let calls = 0;
    const resolve = (_: string, __: unknown, callback: (error: null, found: unknown) => void) => {
      const address = addresses[Math.min(calls, addresses.length - 1)];
      calls += 1;
      callback(null, [{ address, family: 4 }]);
    };
    return resolve as unknown as typeof lookup;
  };

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '[::ffff:127.0.0.1]',
    '[::1]',
    'localhost',
  ])('does not connect to http://%s', async (host) => {
    const refused = { delivered: false, error: expect.stringContaining('WEBHOOK_ALLOW') };
    expect(await send({ host, allow: [] })).toMatchObject(refused);
    expect(requests).toBe(0);
  });

  it('connects to the address that it has checked, even if a second lookup returns another one', async () => {
    const host = 'receiver.example';
    const delivered = await send({ host, resolve: resolvingTo('127.0.0.1', '10.0.0.1') });
    expect(delivered).toMatchObject({ delivered: true });
    const refused = await send({ host, resolve: resolvingTo('10.0.0.1', '127.0.0.1') });
    expect(refused).toMatchObject({ delivered: false, error: expect.stringContaining('10.0.0.1') });
    expect(requests).toBe(1);
  });

  it('does not follow redirects', async () => {
    respond = (_, response) => void response.writeHead(302, { Location: '/other' }).end();
    expect(await send()).toEqual({ delivered: false, status: 302, error: 'HTTP 302' });
    expect(requests).toBe(1);
  });

  it('reads the status, and stops reading a body that never ends', async () => {
    const closed = new Promise<void>((resolve) => {
      respond = (_, response) => {
        response.writeHead(200).on('close', resolve);
        const flow = () => {
          while (response.write(Buffer.alloc(8_192)));
        };
        response.on('drain', flow);
        flow();
      };
    });
    expect(await send()).toEqual({ delivered: true, status: 200 });
    await closed;
  });

  it('gives up if the receiver does not respond in time, and does not wait for a slow body', async () => {
    respond = () => undefined;
    expect(await send({ timeout: 50 })).toEqual({ delivered: false, error: 'timed out' });
    respond = (_, response) => response.writeHead(204).flushHeaders();
    expect(await send()).toEqual({ delivered: true, status: 204 });
    respond = (_, response) => void response.writeHead(200).write('.');
    expect(await send({ timeout: 300 })).toEqual({ delivered: true, status: 200 });
  });

  it('returns the Retry-After of the receiver', async () => {
    respond = (_, response) => void response.writeHead(429, { 'Retry-After': '120' }).end();
    const expected = { delivered: false, status: 429, error: 'HTTP 429', retryAfter: 120 };
    expect(await send()).toEqual(expected);
  });

  it('returns the error code if it cannot connect', async () => {
    // No program listens on port 1.
    expect(await send({ to: 1 })).toEqual({ delivered: false, error: 'ECONNREFUSED' });
  });

  it('returns the reason if the receiver sends no HTTP response', async () => {
    respond = (_, response) => response.socket!.destroy();
    expect(await send()).toEqual({ delivered: false, error: 'other side closed' });
    respond = (_, response) => void response.socket!.end('SSH-2.0-OpenSSH\r\n');
    const error = expect.stringContaining('does not match the HTTP/1.1 protocol') as string;
    expect(await send()).toMatchObject({ error });
  });
});
