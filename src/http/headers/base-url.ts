import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';

/** A name or an address, and an optional port (RFC 9110, section 7.2). Excludes characters that no host name in use contains. */
const HOST = /^([\w.-]{1,255}|\[[\da-f:.]{2,45}\])(:\d{0,5})?$/i;

/** Whether `Host` is missing, malformed or repeated (RFC 9112, section 3.2). Links in responses contain the host. */
export function isHostMalformed({ host, raw }: FastifyRequest): boolean {
  return isMissing(raw) || isNamedTwice(raw) || (host !== '' && !HOST.test(host));
}

function isMissing({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersionMinor > 0;
}

/** In `headers`, Node.js has only the first `Host`. Reading `rawHeaders` costs less than having Node.js group all headers. */
function isNamedTwice({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/**
 * The URL at which clients reach the service: PUBLIC_URL, or else the scheme and host of the request, which trusted proxies may report in
 * `X-Forwarded-*` headers (F3).
 */
export function baseUrlOf(request: FastifyRequest, { publicUrl }: Pick<Environment, 'publicUrl'>): string {
  if (publicUrl !== undefined) return publicUrl;
  // HTTP/1.0 clients may send no `Host`.
  const host = request.host || `localhost:${request.socket.localPort}`;
  return `${/^https$/i.test(request.protocol) ? 'https' : 'http'}://${host}`;
}

@Injectable()
class BaseUrlPipe implements PipeTransform<FastifyRequest, string> {
  constructor(private readonly environment: Environment) {}

  transform(request: FastifyRequest): string {
    return baseUrlOf(request, this.environment);
  }
}

const ThisRequest = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<FastifyRequest>(),
);

/** Injects {@link baseUrlOf} the request. */
export const BaseUrl = () => ThisRequest(BaseUrlPipe);
