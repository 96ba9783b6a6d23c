import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/**
 * The connections of a server, ended without a loss when it stops. Kept alive, or opened and never used, they would
 * hold up its close; closed at any moment, they would lose the request that a client is just sending.
 */
export class Connections {
  /**
   * What each connection is to answer next; undefined: nothing. An entry stays as long as its connection: tables that
   * grow and shrink with every request are thrown away so fast that old ones keep the answers of new ones from being
   * collected.
   */
  private readonly answers = new Map<Socket, ServerResponse | undefined>();
  private isEnding = false;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.answers.set(socket, undefined);
      socket.once('close', () => this.answers.delete(socket));
    });
    // Before the handler, which may answer at once.
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.answers.set(socket, response);
      if (this.isEnding) response.shouldKeepAlive = false;
      response.on('close', () => {
        // Where requests were sent without waiting, another answer comes after this one.
        if (this.answers.get(socket) !== response) return;
        this.answers.set(socket, undefined);
        // An answer whose head was out before the end began has promised that the connection stays.
        if (this.isEnding) socket.end();
      });
    });
  }

  /**
   * Lets nobody in any more, and resolves when all connections have ended: each with its next answer, which says so, or
   * after `patience` milliseconds without a request.
   */
  async end(patience: number): Promise<void> {
    this.isEnding = true;
    for (const answer of this.answers.values()) if (answer !== undefined) answer.shouldKeepAlive = false;
    const ended = once(this.server, 'close');
    // Not the close of HTTP, which ends unused connections at once.
    NetServer.prototype.close.call(this.server);
    const timer = setTimeout(() => {
      for (const [socket, answer] of this.answers) if (answer === undefined) socket.destroy();
    }, patience);
    await ended;
    clearTimeout(timer);
  }
}
