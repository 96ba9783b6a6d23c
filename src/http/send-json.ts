import type { FastifyReply } from 'fastify';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends an answer that is the state of something at this moment, and its own validator where it has one (S11). */
export function sendState(reply: FastifyReply, data: unknown, etag?: string): void {
  if (etag !== undefined) void reply.header('etag', `"${etag}"`);
  // As text, which Fastify sends as it is.
  void reply
    .header('cache-control', 'no-store')
    .header('content-type', JSON_TYPE)
    .send(JSON.stringify({ data }));
}
