import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Milliseconds that a client may read nothing of a large response. */
const PATIENCE = 30_000;
/** Bytes. The kernel needs little memory for a shorter response. */
const LARGE = 65_536;

/**
 * Resets a connection whose client reads nothing of a large response for `patience` milliseconds. If the connection ended
 * gently instead, the kernel would keep the unread bytes, up to 4 MB, until it gives up after six minutes. A reset frees them.
 *
 * Node.js cannot see what the kernel has not delivered yet. The time therefore also runs after Node.js has passed the whole response to the
 * kernel, until the next request or the end of the connection.
 */
export function resetUnreadResponses(fastify: FastifyInstance, patience = PATIENCE): void {
  fastify.addHook('onSend', (_request, { raw }, payload: unknown, done) => {
    const { socket } = raw;
    if (socket !== null && isLarge(payload)) {
      socket.setTimeout(patience);
      // With `Connection: close`, Node.js would close the socket as soon as the kernel has the response.
      socket.destroySoon = () => socket.end();
      // After Node.js has set its timeout for idle connections, which is longer.
      raw.once('finish', () => socket.setTimeout(patience));
    }
    done(null, payload);
  });
  // Without this listener, Node.js would end the connection gently.
  fastify.server.on('timeout', (socket: Socket) => {
    socket.resetAndDestroy();
  });
}

function isLarge(payload: unknown): boolean {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length > LARGE;
  // A stream, whose length is not known.
  return payload !== null && payload !== undefined;
}
