import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError } from './errors.js';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects a request that could change something if a page of another origin makes the browser send it. The cookie's
 * `SameSite=Strict` does not suffice: other ports and subdomains are the same site.
 *
 * @param changing routes that change something although their method is GET
 */
export function refuseOtherOrigins(app: FastifyInstance, changing: readonly string[]): void {
  app.addHook('onRequest', (request, _, done) => {
    const isReading = READING.has(request.method) && !changing.includes(request.routeOptions.url ?? '');
    const why = isReading ? undefined : whyForeign(request);
    if (why === undefined) done();
    else done(new HttpError(403, `${why}, and nothing is changed for other origins. ${WHAT_TO_DO}`));
  });
}

const WHAT_TO_DO =
  'If the page is a page of this panel, a proxy in between is the reason: name it in TRUST_PROXY, and have it pass on ' +
  'Host and X-Forwarded-Proto.';

/** Undefined: the panel's own page sent the request, or a program that is no browser, which has no cookies of others. */
function whyForeign(request: FastifyRequest): string | undefined {
  // The browser itself compares origins, by the addresses that it sees. It sends the header by https and to localhost only.
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin') return undefined;
  if (site !== undefined && site !== 'none') return `The request comes from another origin (${site})`;
  const { origin } = request.headers;
  if (origin === undefined || origin === ownOrigin(request)) return undefined;
  return `The request comes from ${origin}, the panel is at ${ownOrigin(request) ?? 'an unknown address'}`;
}

/** As trusted proxies say it. */
function ownOrigin({ protocol, host }: FastifyRequest): string | undefined {
  const url = `${protocol}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
