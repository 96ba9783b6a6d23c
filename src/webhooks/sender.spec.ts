import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAllowedAddress } from './allowed-address.js';
import { Sender } from './sender.js';

describe('W5: only public addresses are allowed by default', () => {
  it.each([
    ...['127.0.0.1', '127.8.8.8', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
    ...['0.0.0.0', '255.255.255.255', '224.0.0.1', '192.0.2.1', '198.18.0.1', '240.0.0.1'],
    ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'ff02::1', '2001:db8::1'],
    ...[
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:10.0.0.1',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
    ],
    ...['::ffff:0:127.0.0.1', '2001::1', 'fec0::1', '100::1', 'localhost', ''],
  ])('%s is not public', (address) => {
    expect(isAllowedAddress(address, [])).toBe(false);
  });

  it.each(['1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '::ffff:1.1.1.1'])(
    '%s is public',
    (address) => {
      expect(isAllowedAddress(address, [])).toBe(true);
    },
  );

  it('WEBHOOK_ALLOW allows other addresses', () => {
    const allowed = ['10.1.0.0/16', '127.0.0.1', 'fd00::/8'];
    const allowedOf = (addresses: string[]) => addresses.filter((one) => isAllowedAddress(one, allowed));
    expect(
      allowedOf(['10.1.2.3', '::ffff:10.1.2.3', '10.2.0.1', '127.0.0.1', '127.0.0.2', 'fd00::1', 'fe80::1']),
    ).toEqual(['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', 'fd00::1']);
  });
});

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

  const send = (
    url: string,
    { allow = [], resolve, timeout }: { allow?: string[]; resolve?: typeof lookup; timeout?: number } = {},
  ) => {
    const sender = new Sender(allow, resolve, timeout);
    senders.push(sender);
    return sender.post(url, {}, '{}');
  };
  const local = { allow: ['127.0.0.1'] };
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
    const outcome = await send(`http://${host}:${port}/`);
    expect(outcome).toMatchObject({ delivered: false, error: expect.stringContaining('WEBHOOK_ALLOW') });
    expect(requests).toBe(0);
  });

  it('connects to the address that it has checked, even if a second lookup returns another one', async () => {
    const resolve = resolvingTo('127.0.0.1', '10.0.0.1');
    expect(await send(`http://receiver.example:${port}/`, { ...local, resolve })).toMatchObject({
      delivered: true,
    });
    expect(requests).toBe(1);
    const rebinding = resolvingTo('10.0.0.1', '127.0.0.1');
    expect(await send(`http://receiver.example:${port}/`, { ...local, resolve: rebinding })).toMatchObject({
      delivered: false,
      error: expect.stringContaining('10.0.0.1'),
    });
    expect(requests).toBe(1);
  });

  it('does not follow redirects', async () => {
    respond = (_, response) =>
      void response.writeHead(302, { Location: `http://127.0.0.1:${port}/other` }).end();
    expect(await send(`http://127.0.0.1:${port}/`, local)).toEqual({
      delivered: false,
      status: 302,
      error: 'HTTP 302',
    });
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
    expect(await send(`http://127.0.0.1:${port}/`, local)).toEqual({ delivered: true, status: 200 });
    await closed;
  });

  it('gives up if the receiver does not respond in time, and does not wait for a slow body', async () => {
    respond = () => undefined;
    expect(await send(`http://127.0.0.1:${port}/`, { ...local, timeout: 50 })).toEqual({
      delivered: false,
      error: 'timed out',
    });
    respond = (_, response) => {
      response.writeHead(204).flushHeaders();
    };
    expect(await send(`http://127.0.0.1:${port}/`, local)).toEqual({ delivered: true, status: 204 });
    respond = (_, response) => void response.writeHead(200).write('.');
    expect(await send(`http://127.0.0.1:${port}/`, { ...local, timeout: 50 })).toEqual({
      delivered: true,
      status: 200,
    });
  });

  it('returns the Retry-After of the receiver', async () => {
    respond = (_, response) => void response.writeHead(429, { 'Retry-After': '120' }).end();
    expect(await send(`http://127.0.0.1:${port}/`, local)).toEqual({
      delivered: false,
      status: 429,
      error: 'HTTP 429',
      retryAfter: 120,
    });
  });

  it('returns the error code if it cannot connect', async () => {
    const unused = createServer().listen(0, '127.0.0.1');
    await once(unused, 'listening');
    const { port: free } = unused.address() as AddressInfo;
    unused.close();
    await once(unused, 'close');
    expect(await send(`http://127.0.0.1:${free}/`, local)).toEqual({
      delivered: false,
      error: 'ECONNREFUSED',
    });
  });

  it('returns the reason if the receiver sends no HTTP response', async () => {
    respond = (_, response) => response.socket!.destroy();
    expect(await send(`http://127.0.0.1:${port}/`, local)).toEqual({
      delivered: false,
      error: 'other side closed',
    });
    respond = (_, response) => void response.socket!.end('SSH-2.0-OpenSSH\r\n');
    expect(await send(`http://127.0.0.1:${port}/`, local)).toMatchObject({
      error: expect.stringContaining('does not match the HTTP/1.1 protocol'),
    });
  });
});
