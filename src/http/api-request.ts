import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose valid bearer token the request carries. */
    userId: number | undefined;
  }
}

/** The interface's version is part of every path (specification, section 9). */
export const API_PREFIX = '/api/v1';

/** Of a target in absolute form (RFC 9112, section 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?]*/i;

/** Whether the request is for the API, its unknown routes included, however its path is escaped. */
export function isApiRequest(request: FastifyRequest): boolean {
  if (request.url.startsWith(`${API_PREFIX}/`)) return true;
  const path = request.routeOptions.url ?? unescaped(request.url.replace(ORIGIN, ''));
  return path.startsWith(API_PREFIX) && /^([/?]|$)/.test(path.slice(API_PREFIX.length));
}

function unescaped(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
