import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/**
 * The connections of a server, ended without a loss when it stops. Kept alive, or opened and never used, they would
 * hold up its close; closed at any moment, they would lose the request that a client is just sending.
 */
export class Connections {
  private readonly sockets = new Set<Socket>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /**
   * Lets nobody in any more, and resolves when all connections have ended: each with its next answer, which says so, or
   * after `patience` milliseconds without a request.
   */
  async end(patience: number): Promise<void> {
    // Before the handler, which may answer at once.
    this.server.prependListener('request', (_request: IncomingMessage, answer: ServerResponse) => {
      answer.shouldKeepAlive = false;
    });
    for (const socket of this.sockets) {
      const answer = answerUnderWay(socket);
      if (answer === undefined) continue;
      answer.shouldKeepAlive = false;
      // An answer whose head is out already has promised that the connection stays.
      answer.once('close', () => socket.end());
    }
    const ended = once(this.server, 'close');
    // Not the close of HTTP, which ends unused connections at once.
    NetServer.prototype.close.call(this.server);
    const timer = setTimeout(() => {
      for (const socket of this.sockets) if (answerUnderWay(socket) === undefined) socket.destroy();
    }, patience);
    await ended;
    clearTimeout(timer);
  }
}

/** Node.js knows it, so that nobody has to keep a list with each request. */
function answerUnderWay(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
