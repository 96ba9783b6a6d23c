import type { FastifyReply } from 'fastify';

/** Says that the response depends on a header of the request, beside those that were said before, such as `Origin`. */
export function vary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('Vary');
  void reply.header('Vary', others === undefined ? header : `${String(others)}, ${header}`);
}
