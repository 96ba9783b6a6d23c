import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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

  /** Every answer from now on says that it is the last one of its connection, so that the client takes another. */
  endWithAnswers(): void {
    this.isEnding = true;
    for (const response of this.responses) response.shouldKeepAlive = false;
  }

  /** Lets nobody in any more, ends the connections that carry no request, and resolves when all have ended. */
  async end(): Promise<void> {
    const ended = once(this.server, 'close');
    this.server.close();
    for (const socket of this.unused) socket.destroy();
    await ended;
  }
}
