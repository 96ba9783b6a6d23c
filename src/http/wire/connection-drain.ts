import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/**
 * The connections of a server, ended without a loss when it stops. Kept alive, or opened and never used, they would
 * hold up its close; closed at any moment, they would lose the request that a client is just sending.
 */
export class ConnectionDrain {
  private readonly sockets = new Set<Socket>();
  /** The newest response on each connection, until it is out: an idle connection must not keep its last request in memory. */
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
   * Lets nobody in any more, and resolves when all connections have ended: each with its next response, which says so, or
   * after `patience` milliseconds without a request.
   */
  async end(patience: number): Promise<void> {
    // Before the handler, which may answer at once.
    this.server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      response.shouldKeepAlive = false;
    });
    for (const socket of this.sockets) {
      const response = this.responseUnderWay(socket);
      if (response === undefined) continue;
      response.shouldKeepAlive = false;
      // A response whose head is out already has promised that the connection stays.
      response.once('close', () => socket.end());
    }
    const ended = once(this.server, 'close');
    // Not the close of HTTP, which ends unused connections at once.
    NetServer.prototype.close.call(this.server);
    const timer = setTimeout(() => {
      for (const socket of this.sockets) if (this.responseUnderWay(socket) === undefined) socket.destroy();
    }, patience);
    await ended;
    clearTimeout(timer);
  }

  private responseUnderWay(socket: Socket): ServerResponse | undefined {
    const response = this.responses.get(socket);
    return response?.writableFinished === false ? response : undefined;
  }
}
