import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedCoding, type CacheableBody, type Representation } from './cacheable-body.js';
import { JSON_TYPE } from './send-json.js';

/** Sends the body, or 304 where the client holds it already (RFC 9110, sections 13.1.2 and 15.4.5). */
export function sendCacheable(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  body: CacheableBody,
): void | Promise<void> {
  void reply.header('cache-control', 'no-cache');
  if (body.isCompressed) void reply.header('vary', 'accept-encoding');
  const known = knownEtag(headers['if-none-match'], body);
  if (known !== undefined) {
    void reply.header('etag', known).status(304).send();
    return;
  }
  const coding = body.isCompressed ? acceptedCoding(headers['accept-encoding']) : undefined;
  const representation = coding === undefined ? body.identity : body.in(coding);
  if (representation instanceof Promise) return representation.then((ready) => send(reply, ready));
  send(reply, representation);
}

function send(reply: FastifyReply, { bytes, etag, coding }: Representation): void {
  if (coding !== undefined) void reply.header('content-encoding', coding);
  void reply.header('etag', etag).header('content-type', JSON_TYPE).send(bytes);
}

/** The validator by which an `If-None-Match` header tells that the client holds the body. */
function knownEtag(header: string | undefined, body: CacheableBody): string | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return body.identity.etag;
  return header.match(/"[^"]*"/g)?.find((etag) => body.isNamedBy(etag));
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
