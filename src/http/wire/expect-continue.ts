import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Sends `100 Continue` when something begins to read the body. Without this, Node.js would send `100 Continue` at
 * once. A request that is rejected because of its headers, such as its token or length, gets the rejection instead
 * (RFC 9110, section 10.1.1). Node.js then closes the connection, because the body may or may not follow.
 */
export function deferContinue({ server }: FastifyInstance): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // Node.js also resumes an unread body after it has sent the response, which is too late for `100 Continue`.
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    server.emit('request', request, response);
  });
}
