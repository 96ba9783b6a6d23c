import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';

/** Where clients reach the service: PUBLIC_URL, or what the request says through trusted proxies (F3). */
export function baseUrl(environment: Environment, request: FastifyRequest): string {
  // A client of HTTP/1.0 may name no host.
  const host = request.host || `localhost:${request.socket.localPort}`;
  return environment.publicUrl ?? `${request.protocol}://${host}`;
}
