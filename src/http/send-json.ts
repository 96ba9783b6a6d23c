import type { FastifyReply } from 'fastify';
import { answerWith, headerLine, headerLines } from './answer.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

const JSON_LINES = headerLines({ 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store' });

/** Sends the state of a submission, or part of it, with the validator of that state: when it was written last (S11). */
export function sendState(reply: FastifyReply, data: unknown, updatedAt: string): void {
  answerWith(reply, JSON_LINES + headerLine('ETag', `"${updatedAt}"`), JSON.stringify({ data }));
}

/** Sends JSON that is true at this moment only. */
export function sendJson(reply: FastifyReply, json: string): void {
  answerWith(reply, JSON_LINES, json);
}
