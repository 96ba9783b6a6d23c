import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A serialised answer and its strong validator (F10). */
export interface CacheableBody {
  readonly bytes: Buffer;
  readonly etag: string;
}

export function cacheable(body: unknown): CacheableBody {
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"` };
}

/** Sends the body, or 304 where the client holds it already (RFC 9110, sections 13.1.2 and 15.4.5). */
export function sendCacheable(request: FastifyRequest, reply: FastifyReply, body: CacheableBody): void {
  void reply.header('ETag', body.etag).header('Cache-Control', 'no-cache');
  const known = request.headers['if-none-match'];
  if (known !== undefined && namesEtag(known, body.etag)) {
    void reply.status(304).send();
  } else {
    void reply.header('Content-Type', 'application/json; charset=utf-8').send(body.bytes);
  }
}

function namesEtag(header: string, etag: string): boolean {
  return header.trim() === '*' || [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag);
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
