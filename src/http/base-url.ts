import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';

/** A name, an IPv4 or an IPv6 address, and a port (RFC 9110, section 7.2), without what no name in use has. */
const HOST = /^([\w.-]{1,255}|\[[\da-f:.]{2,45}\])(:\d{0,5})?$/i;

/** Whether the host is none, or named twice (RFC 9112, section 3.2): it becomes part of the links in answers. */
export function isHostMalformed({ host, raw }: FastifyRequest): boolean {
  return isNamedTwice(raw) || (host !== '' && !HOST.test(host));
}

/** Node.js keeps the first of several. Reading all headers as they came costs less than having them grouped. */
function isNamedTwice({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** Where clients reach the service: PUBLIC_URL, or what the request says through trusted proxies (F3). */
export function baseUrl(environment: Environment, request: FastifyRequest): string {
  // A client of HTTP/1.0 may name no host.
  const host = request.host || `localhost:${request.socket.localPort}`;
  const scheme = /^https$/i.test(request.protocol) ? 'https' : 'http';
  return environment.publicUrl ?? `${scheme}://${host}`;
}
