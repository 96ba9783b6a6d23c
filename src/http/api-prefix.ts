import type { FastifyRequest } from 'fastify';

/** Every path of the API contains the API's version. */
export const API_PREFIX = '/api/v1';

/** Whether the request is for the API, including its unknown routes. */
export function isApiRequest({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith(API_PREFIX) ?? false;
}
