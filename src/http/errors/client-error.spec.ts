import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { grantTime, rejectClientError } from './client-error.js';

let server: Server;
let socket: Socket;
let received: string;

beforeEach(async () => {
  server = createServer(
    { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 20 },
    (request, response) => {
      if (request.method === 'PUT') grantTime(request, response);
      request.resume().once('end', () => response.end(request.method));
    },
  );
  server.on('clientError', (error, socket) => {
    rejectClientError(error, socket as Socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  received = '';
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('data', (chunk) => (received += chunk.toString()));
});
afterEach(() => {
  socket.destroy();
  server.close();
  server.closeAllConnections();
});

/** Returns a request without the last byte of its body. */
const half = (method: string) => `${method} / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n1`;

describe('the time limit of a request', () => {
  it('does not apply to a request that was granted time', async () => {
    socket.write(half('PUT'));
    const other = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
    other.write(half('POST'));
    // This request began later and times out first.
    await once(other, 'close');
    socket.write('2');
    await once(socket, 'data');
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('applies again to the next request on the connection', async () => {
    socket.write(`${half('PUT')}2`);
    await once(socket, 'data');
    received = '';
    socket.write(half('POST'));
    await once(socket, 'close');
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
  });
});
