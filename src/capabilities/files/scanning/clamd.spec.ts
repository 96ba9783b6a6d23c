import { once } from 'node:events';
import net from 'node:net';
import { Readable } from 'node:stream';
import { Clamd } from './clamd.js';

const scan = (respond: (socket: net.Socket) => void, content = Readable.from([Buffer.from('content')])) =>
  ask(respond, (clamd) => clamd.scan(content));

/** Asks a clamd that calls `respond`. Returns the result or the error, and the number of bytes that clamd sent. */
async function ask(respond: (socket: net.Socket) => void, work: (clamd: Clamd) => Promise<unknown>) {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.resume();
    respond(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  try {
    const verdict = await work(new Clamd(`tcp://127.0.0.1:${port}`)).catch(
      (error: unknown) => (error as Error).message,
    );
    const [socket] = sockets;
    if (socket?.closed === false) await new Promise((resolve) => socket.once('close', resolve));
    return { verdict, sent: socket?.bytesWritten ?? 0 };
  } finally {
    server.close();
  }
}

describe('U6: a ping', () => {
  it.each([
    ['succeeds if clamd responds', 'PONG\0', undefined],
    ['fails if something else responds', 'HTTP/1.1 400\r\n', 'clamd responded "HTTP/1.1 400"'],
    ['fails if nothing responds', '', 'clamd sent no response'],
  ])('%s', async (_, text, error) => {
    const sent: Buffer[] = [];
    const respond = (socket: net.Socket) => {
      socket.once('data', (bytes) => {
        sent.push(bytes);
        socket.end(text);
      });
    };
    expect((await ask(respond, (clamd) => clamd.ping())).verdict).toBe(error);
    expect(sent.toString()).toBe('zPING\0');
  });
});

describe('U6: the response of clamd', () => {
  it.each<[string, string, object | string]>([
    ['nothing was found', 'stream: OK\0', { state: 'clean' }],
    ['a virus was found', 'stream: Win.Test FOUND\0', { state: 'infected', signature: 'Win.Test' }],
    [
      'a signature has a long name with control characters',
      `stream: \u001b[2J${'x'.repeat(1_000)} FOUND\0`,
      { state: 'infected', signature: `?[2J${'x'.repeat(196)}` },
    ],
    ['clamd did not scan the whole file', 'INSTREAM size ERROR\0', 'clamd responded "INSTREAM size ERROR"'],
    [
      'clamd sends something long and unknown',
      `${'x'.repeat(4_000)}\n\0`,
      `clamd responded "${'x'.repeat(200)}"`,
    ],
    ['clamd sends nothing', '', 'clamd sent no response'],
  ])('becomes a verdict or an error, short and printable, if %s', async (_, text, verdict) => {
    expect(await scan((socket) => socket.end(text))).toMatchObject({ verdict });
  });

  it.each([
    ['before the file is sent', [Buffer.from('content')]],
    ['while the file is sent', Array.from({ length: 400 }, () => Buffer.alloc(65_536))],
  ])('is read only up to the longest possible response, %s', async (_, chunks) => {
    const endless = (socket: net.Socket) => {
      const flow = () => {
        while (
          !socket.destroyed &&
          socket.bytesWritten < 300_000_000 &&
          socket.write(Buffer.alloc(65_536, 'x'))
        );
      };
      socket.on('drain', flow);
      flow();
    };
    const { verdict, sent } = await scan(endless, Readable.from(chunks));
    expect(verdict).toBe('clamd sent more than 4096 bytes, which is not a response to INSTREAM');
    // The service reads little, but clamd can send until the socket buffers of both ends are full.
    expect(sent).toBeLessThan(50_000_000);
  });
});
