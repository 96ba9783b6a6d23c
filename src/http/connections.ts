import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/**
 * The connections of a server, ended without a loss when it stops. Kept alive, or opened and never used, they would
 * hold up its close; closed at any moment, they would lose the request that a client is just sending.
 */
export class Connections {
  private readonly unused = new Set<Socket>();
  private readonly responses = new Set<ServerResponse>();
  private isEnding = false;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.unused.add(socket);
      socket.once('close', () => this.unused.delete(socket));
    });
    // Before the handler, which may answer at once.
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.unused.delete(socket);
      this.responses.add(response);
      if (this.isEnding) response.shouldKeepAlive = false;
      response.once('close', () => {
        this.responses.delete(response);
        // An answer whose head was out before the end began has promised that the connection stays.
        if (this.isEnding) socket.end();
        else if (!socket.destroyed) this.unused.add(socket);
      });
    });
  }

  /**
   * Lets nobody in any more, and resolves when all connections have ended: each with its next answer, which says so, or
   * after `patience` milliseconds without a request.
   */
  async end(patience: number): Promise<void> {
    this.isEnding = true;
    for (const response of this.responses) response.shouldKeepAlive = false;
    const ended = once(this.server, 'close');
    // Not the close of HTTP, which ends unused connections at once.
    NetServer.prototype.close.call(this.server);
    const timer = setTimeout(() => {
      for (const socket of this.unused) socket.destroy();
    }, patience);
    await ended;
    clearTimeout(timer);
  }
}
