import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import fastify from 'fastify';
import { resetUnreadResponses } from '../../src/http/wire/unread-responses.js';

const PATIENCE = 1_000;
const LARGE = 100_000;
/** More bytes than the kernel keeps for both ends of a connection. */
const ENDLESS = 64 * 1024 * 1024;

const server = fastify();

beforeAll(async () => {
  resetUnreadResponses(server, PATIENCE);
  server.get('/small', () => 'small');
  server.get('/large', () => Buffer.alloc(LARGE));
  server.get('/endless', () => Buffer.alloc(ENDLESS));
  server.get('/stream', () => Readable.from(chunks()));
  await server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => server.close());

function* chunks() {
  for (let sent = 0; sent < ENDLESS; sent += 65_536) yield Buffer.alloc(65_536);
}

/** Sends a request, and returns both ends of the connection. The client reads nothing yet. */
async function request(path: string, connection = 'keep-alive') {
  const { port } = server.server.address() as AddressInfo;
  const accepted = once(server.server, 'connection');
  const client = net.connect(port, '127.0.0.1').pause();
  const failed = new Promise<NodeJS.ErrnoException>((resolve) => client.once('error', resolve));
  client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`);
  const [socket] = (await accepted) as [Socket];
  return { client, socket, failed };
}

it('the service closes the connection of a client that reads nothing, of a body of any kind and with Connection: close', async () => {
  const unread = [
    await request('/endless'),
    await request('/stream'),
    // The kernel takes the whole response.
    await request('/large'),
    await request('/large', 'close'),
  ];
  for (const { socket } of unread) if (!socket.closed) await once(socket, 'close');
  for (const { client } of unread) client.destroy();
});

it('resets the connection, so that the kernel keeps nothing of it', async () => {
  const { client, failed } = await request('/large');
  client.resume();
  expect((await failed).code).toBe('ECONNRESET');
});

it('ends the connection gently after a response with Connection: close that was read', async () => {
  const { client, socket } = await request('/large', 'close');
  let received = 0;
  client.on('data', (chunk: Buffer) => (received += chunk.length)).resume();
  const [hadError] = (await once(client, 'close')) as [boolean];
  expect(hadError).toBe(false);
  expect(received).toBeGreaterThan(LARGE);
  if (!socket.destroyed) await once(socket, 'close');
});

it('keeps an idle connection as long as before once it is used again', async () => {
  const { client, socket } = await request('/large');
  client.resume();
  await once(client, 'data');
  client.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise<void>((resolve) => {
    client.on('data', (chunk: Buffer) => {
      if (chunk.toString().endsWith('small')) resolve();
    });
  });
  expect(socket.timeout).toBeGreaterThanOrEqual(server.server.keepAliveTimeout);
  client.destroy();
});

it('does not interrupt a client that reads slowly', async () => {
  const { client } = await request('/endless', 'close');
  const startedAt = performance.now();
  let received = 0;
  client.on('data', (chunk: Buffer) => {
    // Reads 8 MB, then waits.
    const isFull = received >> 23 < (received + chunk.length) >> 23;
    received += chunk.length;
    if (isFull) {
      client.pause();
      setTimeout(() => client.resume(), PATIENCE / 6);
    }
  });
  client.resume();
  const [hadError] = (await once(client, 'close')) as [boolean];
  expect({ hadError, received: received > ENDLESS }).toEqual({ hadError: false, received: true });
  expect(performance.now() - startedAt).toBeGreaterThan(PATIENCE);
});
