import type { FastifyReply } from 'fastify';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends the state of a submission, or part of it, with the validator of that state: when it was written last (S11). */
export function sendState(reply: FastifyReply, data: unknown, updatedAt: string): void {
  void reply.header('etag', `"${updatedAt}"`);
  sendJson(reply, JSON.stringify({ data }));
}

/** Sends JSON as text, with which nothing is left for Fastify to do. */
export function sendJson(reply: FastifyReply, json: string): void {
  void reply.header('content-type', JSON_TYPE).send(json);
}
