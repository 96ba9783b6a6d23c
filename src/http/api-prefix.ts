import type { FastifyRequest } from 'fastify';

/** The interface's version is part of every path (specification, section 9). */
export const API_PREFIX = '/api/v1';

/** Whether the request is for the API, its unknown routes included. */
export function isApiRequest({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith(API_PREFIX) ?? false;
}
