import { once } from 'node:events';
import net from 'node:net';
import { Readable } from 'node:stream';
import { Clamd } from './clamd.js';

/** The outcome of a scan by clamd's response, and how many bytes clamd had taken. */
async function scan(
  respond: (socket: net.Socket) => void,
  content = Readable.from([Buffer.from('content')]),
) {
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
    const verdict = await new Clamd(`tcp://127.0.0.1:${port}`)
      .scan(content)
      .catch((error: unknown) => (error as Error).message);
    const [socket] = sockets;
    if (socket?.closed === false) await new Promise((resolve) => socket.once('close', resolve));
    return { verdict, taken: socket?.bytesWritten ?? 0 };
  } finally {
    server.close();
  }
}

describe('what clamd says (U6)', () => {
  it.each<[string, string, object | string]>([
    ['nothing was found', 'stream: OK\0', { state: 'clean' }],
    [
      'a virus was found',
      'stream: Win.Test.EICAR_HDB-1 FOUND\0',
      { state: 'infected', signature: 'Win.Test.EICAR_HDB-1' },
    ],
    [
      'a signature has a long name with control characters',
      `stream: \u001b[2J${'x'.repeat(1_000)} FOUND\0`,
      { state: 'infected', signature: `?[2J${'x'.repeat(196)}` },
    ],
    [
      'it did not look at the whole',
      'INSTREAM size limit exceeded. ERROR\0',
      'clamd said "INSTREAM size limit exceeded. ERROR"',
    ],
    ['it says something else at length', `${'x'.repeat(4_000)}\n\0`, `clamd said "${'x'.repeat(200)}"`],
    ['it says nothing', '', 'clamd said nothing'],
  ])('is shown in few characters that are safe to print where %s', async (_, text, verdict) => {
    expect(await scan((socket) => socket.end(text))).toMatchObject({ verdict });
  });

  it.each([
    ['before the file is sent', [Buffer.from('content')]],
    ['while the file is sent', Array.from({ length: 400 }, () => Buffer.alloc(65_536))],
  ])('is read no further than a response can be, %s', async (_, chunks) => {
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
    const { verdict, taken } = await scan(endless, Readable.from(chunks));
    expect(verdict).toBe('clamd said more than 4096 bytes, which is no response of INSTREAM');
    // The buffers of both ends hold so much.
    expect(taken).toBeLessThan(50_000_000);
  });
});
