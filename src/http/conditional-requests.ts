import type { FastifyReply, FastifyRequest } from 'fastify';
import { whenKnown } from '../when-known.js';
import { addHeader, answerWith } from './answer.js';
import { acceptedCoding, type CacheableBody } from './cacheable-body.js';

/** Sends the body, or 304 where the client holds it already (RFC 9110, sections 13.1.2 and 15.4.5). */
export function sendCacheable(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  body: CacheableBody,
): void | Promise<void> {
  const coding = body.isCompressed ? acceptedCoding(headers['accept-encoding']) : undefined;
  if (isKnown(headers['if-none-match'], body)) {
    addHeader(reply, 'ETag', body.etagIn(coding));
    addHeader(reply, 'Cache-Control', 'no-cache');
    if (body.isCompressed) addHeader(reply, 'Vary', 'Accept-Encoding');
    void reply.status(304).send();
    return;
  }
  return whenKnown(coding === undefined ? body.identity : body.in(coding), ({ head, bytes }) => {
    answerWith(reply, head, bytes);
  });
}

/** Whether an `If-None-Match` header tells that the client holds the body, in whatever coding. */
function isKnown(header: string | undefined, body: CacheableBody): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || (header.match(/"[^"]*"/g) ?? []).some((etag) => body.isNamedBy(etag));
}

/**
 * The strong validators of an `If-Match` header, without their quotes; undefined where there is nothing to check.
 * Weak ones never match, so they are left out (RFC 9110, section 13.1.1).
 */
export function readIfMatch(header: string | undefined): string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)]
    .filter((tag) => tag[1] === undefined)
    .map((tag) => tag[2] ?? '');
}
