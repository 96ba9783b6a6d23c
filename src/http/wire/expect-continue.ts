import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Tells a client that waits with `Expect: 100-continue` to send its body when something begins to read it. Node.js by itself
 * tells it so at once. A request that is refused for its head, such as for its token or its length, gets the refusal instead
 * (RFC 9110, section 10.1.1), and Node.js closes the connection, because the body may still follow or not.
 */
export function deferContinue({ server }: FastifyInstance): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // Node.js also resumes what nobody has read once the response is out.
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    server.emit('request', request, response);
  });
}
