import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';

/** A name, an IPv4 or an IPv6 address, and a port (RFC 9110, section 7.2), without what no name in use has. */
const HOST = /^([\w.-]{1,255}|\[[\da-f:.]{2,45}\])(:\d{0,5})?$/i;

/** Whether the host is missing, none, or named twice (RFC 9112, section 3.2): it becomes part of the links in answers. */
export function isHostMalformed({ host, raw }: FastifyRequest): boolean {
  return isMissing(raw) || isNamedTwice(raw) || (host !== '' && !HOST.test(host));
}

function isMissing({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersionMinor > 0;
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

/** As the request says it, through trusted proxies. */
const RequestedBaseUrl = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  // A client of HTTP/1.0 may name no host.
  const host = request.host || `localhost:${request.socket.localPort}`;
  const scheme = /^https$/i.test(request.protocol) ? 'https' : 'http';
  return `${scheme}://${host}`;
});

@Injectable()
class PublicUrlPipe implements PipeTransform<string, string> {
  constructor(private readonly environment: Environment) {}

  transform(requested: string): string {
    return this.environment.publicUrl ?? requested;
  }
}

/** Where clients reach the service: PUBLIC_URL, or else what the request says (F3). */
export const BaseUrl = () => RequestedBaseUrl(PublicUrlPipe);
