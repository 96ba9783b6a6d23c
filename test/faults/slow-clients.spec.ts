import type { Socket } from 'node:net';
import { openSocket, readRaw } from '../support/raw.js';
import { send } from './support/load.js';
import { startOn, useFaults } from './support/use-service.js';

const use = useFaults();
const CONNECTIONS = 1_000;
/** Maximum milliseconds until a request must have arrived completely. */
const CONTRACT = 30_000;

const HEAD = 'POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

/** Sends a byte per second until the connection is closed. Resolves with the response and the time in milliseconds. */
function trickle(socket: Socket, start: string, byte: string): Promise<{ answer: string; took: number }> {
  const startedAt = performance.now();
  const received: Buffer[] = [];
  socket.write(start);
  const timer = setInterval(() => socket.write(byte), 1_000);
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ answer: Buffer.concat(received).toString(), took: performance.now() - startedAt });
    });
  });
}

it('1,000 requests that trickle get 408 within 30 s, and other requests are served meanwhile', async () => {
  const service = await startOn(use);
  // The service waits for a body only if the token is valid.
  const body = `${HEAD}Authorization: Bearer ${use.plainToken}\r\nContent-Length: 1000\r\n\r\n`;
  const trickling = await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, number) => {
      const socket = await openSocket(service.url);
      return { ended: number % 2 === 0 ? trickle(socket, HEAD, 'x') : trickle(socket, body, ' ') };
    }),
  );
  const state = { isOver: false };
  const all = Promise.all(trickling.map(({ ended }) => ended)).finally(() => (state.isOver = true));
  let served = 0;
  while (!state.isOver) {
    const { status, took } = await send(service, { method: 'GET', path: '/api/v1/forms' });
    expect(status).toBe(200);
    expect(took).toBeLessThan(2_000);
    served += 1;
  }
  expect(served).toBeGreaterThan(100);

  for (const { answer, took } of await all) {
    const { status, headers, body: text } = readRaw(answer);
    expect({ status, body: JSON.parse(text) as unknown }).toEqual({
      status: 408,
      body: { message: 'The request took too long to arrive.' },
    });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(took).toBeLessThan(CONTRACT);
  }
});
