import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedCoding, type CacheableBody } from './cacheable-body.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sets the headers of a cacheable response and returns its bytes in a coding that the client accepts. If the client has cached
 * the body, sets 304 and returns undefined (RFC 9110, sections 13.1.2 and 15.4.5).
 */
export async function representationOf(
  body: CacheableBody,
  { headers, method }: Pick<FastifyRequest, 'headers' | 'method'>,
  reply: FastifyReply,
  cacheControl = 'no-cache',
): Promise<Buffer | undefined> {
  const coding = body.isCompressed ? acceptedCoding(headers['accept-encoding']) : undefined;
  void reply.header('ETag', body.etagIn(coding)).header('Cache-Control', cacheControl);
  for (const [name, value] of Object.entries(body.headers)) void reply.header(name, value);
  if (body.isCompressed) vary(reply, 'Accept-Encoding');
  if (isKnown(headers['if-none-match'], body)) {
    void reply.status(304);
    // For HEAD, Fastify takes `Content-Length` from the bytes, so return them (RFC 9110, section 8.6).
    if (method !== 'HEAD') return undefined;
  }
  void reply.header('Content-Type', JSON_TYPE);
  if (coding === undefined) return body.identity.bytes;
  void reply.header('Content-Encoding', coding);
  return (await body.in(coding)).bytes;
}

/** Whether an `If-None-Match` header shows that the client has cached the body, in any coding. */
function isKnown(header: string | undefined, body: CacheableBody): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || (header.match(/"[^"]*"/g) ?? []).some((etag) => body.isNamedBy(etag));
}

/**
 * Returns the strong validators of an `If-Match` header, without their quotes, or undefined if there is nothing to
 * check. Omits weak validators, because they never match (RFC 9110, section 13.1.1).
 */
export function readIfMatch(header: string | undefined): string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)]
    .filter((tag) => tag[1] === undefined)
    .map((tag) => tag[2] ?? '');
}

/** Adds a request header to `Vary`. Keeps the headers that `Vary` already names, such as `Origin`. */
export function vary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('Vary');
  void reply.header('Vary', others === undefined ? header : `${String(others)}, ${header}`);
}
