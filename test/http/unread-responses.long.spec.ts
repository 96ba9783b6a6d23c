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
