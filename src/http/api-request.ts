import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose valid bearer token the request carries. */
    userId: number | undefined;
    /** Whether the rate limit has counted the request. */
    counted: boolean;
  }
}

/** The interface's version is part of every path (specification, section 9). */
export const API_PREFIX = '/api/v1';

/** Whether the request is for the API, its unknown routes included, however its path is escaped. */
export function isApiRequest(request: FastifyRequest): boolean {
  const path = request.routeOptions.url ?? request.url;
  return path.startsWith(API_PREFIX) && /^([/?]|$)/.test(path.slice(API_PREFIX.length));
}
