import { hash, timingSafeEqual } from 'node:crypto';
import { buildAuthenticatedRouter } from '@adminjs/fastify';
import rateLimit from '@fastify/rate-limit';
import AdminJS, { Router } from 'adminjs';
import type { FastifyInstance } from 'fastify';
import { rejectOtherOrigins } from './same-origin.js';
import { SESSION_LIFETIME, Sessions } from './sessions.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

declare module 'fastify' {
  /** Properties that @adminjs/fastify uses but does not declare. */
  interface Session {
    adminUser?: { readonly email: string };
    redirectTo?: string;
  }
}

const ATTEMPTS_A_MINUTE = 10;
/** Cookie with the page to open after the login. */
const RETURN_COOKIE = 'formtrail-panel-wanted';

/** Adds the pages of the panel, which require a login. Sessions end with the process. */
export async function addPages(
  app: FastifyInstance,
  admin: AdminJS,
  credentials: Credentials,
  secret: string,
): Promise<void> {
  const { rootPath, loginPath, logoutPath } = admin.options;
  app.addHook('onRoute', (route) => {
    if (route.url === loginPath && route.method === 'POST') {
      route.config = { ...route.config, rateLimit: { max: ATTEMPTS_A_MINUTE, timeWindow: '1 minute' } };
    }
  });
  await app.register(rateLimit, { global: false });
  // AdminJS logs out by a GET request.
  rejectOtherOrigins(app, [logoutPath]);
  await buildAuthenticatedRouter(
    admin,
    {
      cookieName: 'formtrail-panel',
      cookiePassword: secret,
      authenticate: async (email: string, password: string, context) => {
        if (!isSame(email, credentials.email) || !isSame(password, credentials.password)) return null;
        // A new session id, so that an id that someone else knew before the login is worthless.
        await context?.request.session.regenerate();
        const target = context?.request.cookies[RETURN_COOKIE];
        if (target !== undefined) context?.reply.clearCookie(RETURN_COOKIE, { ...COOKIE, path: loginPath });
        if (target?.startsWith(`${rootPath}/`)) context?.request.session.set('redirectTo', target);
        return { email };
      },
    },
    app,
    {
      secret,
      saveUninitialized: false,
      store: new Sessions(),
      cookie: { ...COOKIE, secure: false, maxAge: SESSION_LIFETIME },
    },
  );
  // `secure: 'auto'` would set SameSite=Lax without HTTPS.
  app.addHook('onRequest', ({ session, protocol }, _, done) => {
    // Without a path, as in `OPTIONS *`, a request has no session.
    if ('options' in session) session.options({ secure: protocol === 'https' });
    done();
  });
  requireLogin(app, admin);
}

/** The cookies are hidden from scripts, and are not sent with requests from other sites. */
const COOKIE = { httpOnly: true, sameSite: 'strict' } as const;

/**
 * Redirects to the login, by the matched route and before the body is read. The hook of @adminjs/fastify is not enough: it lets a
 * request pass if its URL contains the path of an asset anywhere, even in the query.
 */
function requireLogin(app: FastifyInstance, admin: AdminJS): void {
  const { rootPath, loginPath, logoutPath } = admin.options;
  const assets = [...Router.assets, ...Router.routes.filter(({ action }) => action === 'bundleComponents')];
  const open = new Set([loginPath, ...assets.map(({ path }) => rootPath + path)]);
  app.addHook('onRequest', async (request, reply) => {
    const { url = '' } = request.routeOptions;
    if (request.session.adminUser !== undefined || open.has(url)) return;
    const isPage =
      url.startsWith(`${rootPath}/`) && !url.startsWith(`${rootPath}/api/`) && url !== logoutPath;
    // A cookie, not a session: otherwise anybody could fill the memory with sessions.
    if (request.method === 'GET' && isPage && request.url.length < 2_000) {
      reply.setCookie(RETURN_COOKIE, request.url, {
        ...COOKIE,
        path: loginPath,
        secure: request.protocol === 'https',
      });
    }
    return reply.redirect(loginPath);
  });
}

/** Compares digests in constant time, so that the duration does not reveal how much of the input is right. */
function isSame(given: unknown, expected: string): boolean {
  return timingSafeEqual(hash('sha256', String(given), 'buffer'), hash('sha256', expected, 'buffer'));
}
