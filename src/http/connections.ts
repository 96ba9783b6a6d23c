import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows which connections of a server carry no request. The function that it gives ends those, and every other one
 * with its request: kept alive, or opened and never used, they would hold up the server's close.
 */
export function trackConnections(server: Server): () => void {
  const unused = new Set<Socket>();
  let isEnding = false;
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    unused.delete(socket);
    response.once('close', () => {
      if (isEnding) socket.end();
      else if (!socket.destroyed) unused.add(socket);
    });
  });
  return () => {
    isEnding = true;
    for (const socket of unused) socket.destroy();
  };
}
