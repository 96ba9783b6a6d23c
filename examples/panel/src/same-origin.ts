import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError } from './errors.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects a request that could change data with 403 if a page of another origin made the browser send it. The cookie's
 * `SameSite=Strict` is not enough, because other ports and subdomains belong to the same site.
 *
 * @param changing routes that change data although their method is GET
 */
export function rejectOtherOrigins(app: FastifyInstance, changing: readonly string[]): void {
  app.addHook('onRequest', (request, _, done) => {
    const isSafe = SAFE_METHODS.has(request.method) && !changing.includes(request.routeOptions.url ?? '');
    const reason = isSafe ? undefined : foreignOriginReason(request);
    if (reason === undefined) done();
    else done(new HttpError(403, `${reason}. Other origins cannot change anything. ${ADVICE}`));
  });
}

const ADVICE =
  'If the request came from a page of this panel, a proxy is misconfigured: name it in TRUST_PROXY, and make it pass on ' +
  'Host and X-Forwarded-Proto.';

/** Returns undefined for a request from a page of the panel, or from a program that is not a browser and so has no user's cookies. */
function foreignOriginReason(request: FastifyRequest): string | undefined {
  // The browser compares the origins itself. It sends this header only over HTTPS and to localhost.
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin') return undefined;
  if (site !== undefined && site !== 'none') return `The request comes from another origin (${site})`;
  const { origin } = request.headers;
  if (origin === undefined || origin === ownOrigin(request)) return undefined;
  return `The request comes from ${origin}, the panel is at ${ownOrigin(request) ?? 'an unknown address'}`;
}

/** Origin of the panel, as trusted proxies report it. */
function ownOrigin({ protocol, host }: FastifyRequest): string | undefined {
  const url = `${protocol}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
