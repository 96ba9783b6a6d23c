import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/**
 * Closes the connections of a stopping server without losing a request. Waiting for idle connections would take too
 * long, and closing them at once could lose a request that a client is sending.
 */
export class ConnectionDrain {
  private readonly sockets = new Set<Socket>();
  /** The newest response on each connection, until it is sent. An idle connection must not keep an old request in memory. */
  private readonly responses = new WeakMap<Socket, ServerResponse>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.responses.set(socket, response);
      response.once('close', () => {
        if (this.responses.get(socket) === response) this.responses.delete(socket);
      });
    });
  }

  /**
   * Accepts no new connections, and resolves when all connections have ended. Each connection ends with its next response, which has
   * `Connection: close`, or after `idleTimeout` milliseconds without a request.
   */
  async end(idleTimeout: number): Promise<void> {
    // Runs before the handler, which may respond at once.
    this.server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      response.shouldKeepAlive = false;
    });
    for (const socket of this.sockets) {
      const response = this.responseUnderWay(socket);
      if (response === undefined) continue;
      response.shouldKeepAlive = false;
      // Headers that are already sent may say that the connection stays open. End the connection after the response anyway.
      response.once('close', () => socket.end());
    }
    const ended = once(this.server, 'close');
    // The `close()` of an HTTP server would end unused connections at once.
    NetServer.prototype.close.call(this.server);
    const timer = setTimeout(() => {
      for (const socket of this.sockets) if (this.responseUnderWay(socket) === undefined) socket.destroy();
    }, idleTimeout);
    await ended;
    clearTimeout(timer);
  }

  private responseUnderWay(socket: Socket): ServerResponse | undefined {
    const response = this.responses.get(socket);
    return response?.writableFinished === false ? response : undefined;
  }
}
