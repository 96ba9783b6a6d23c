import { hash, timingSafeEqual } from 'node:crypto';
import { buildAuthenticatedRouter } from '@adminjs/fastify';
import rateLimit from '@fastify/rate-limit';
import AdminJS, { Router } from 'adminjs';
import type { FastifyInstance } from 'fastify';
import { refuseOtherOrigins } from './same-origin.js';
import { SESSION_LIFETIME, Sessions } from './sessions.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

declare module 'fastify' {
  /** As @adminjs/fastify uses it, without saying so. */
  interface Session {
    adminUser?: { readonly email: string };
    redirectTo?: string;
  }
}

const ATTEMPTS_A_MINUTE = 10;
/** The cookie with the page that somebody wanted to see before the login. */
const WANTED = 'formtrail-panel-wanted';

/** The pages of the panel, behind its login. Sessions end with the process. */
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
  // AdminJS logs out by a link.
  refuseOtherOrigins(app, [logoutPath]);
  await buildAuthenticatedRouter(
    admin,
    {
      cookieName: 'formtrail-panel',
      cookiePassword: secret,
      authenticate: async (email: string, password: string, context) => {
        if (!isSame(email, credentials.email) || !isSame(password, credentials.password)) return null;
        // Whoever knew the session before has nothing of it now.
        await context?.request.session.regenerate();
        const wanted = context?.request.cookies[WANTED];
        if (wanted !== undefined) context?.reply.clearCookie(WANTED, { ...COOKIE, path: loginPath });
        if (wanted?.startsWith(`${rootPath}/`)) context?.request.session.set('redirectTo', wanted);
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
  // `secure: 'auto'` would make it SameSite=Lax without https.
  app.addHook('onRequest', ({ session, protocol }, _, done) => {
    // There is none for an address that is no path, such as *.
    if ('options' in session) session.options({ secure: protocol === 'https' });
    done();
  });
  askForLogin(app, admin);
}

/** Scripts cannot read it, and no page of another site makes the browser send it. */
const COOKIE = { httpOnly: true, sameSite: 'strict' } as const;

/**
 * By the route itself, and before a body is read. The hook of @adminjs/fastify lets every request pass whose address has
 * that of an asset anywhere in it, be it in the query.
 */
function askForLogin(app: FastifyInstance, admin: AdminJS): void {
  const { rootPath, loginPath, logoutPath } = admin.options;
  const assets = [...Router.assets, ...Router.routes.filter(({ action }) => action === 'bundleComponents')];
  const open = new Set([loginPath, ...assets.map(({ path }) => rootPath + path)]);
  app.addHook('onRequest', async (request, reply) => {
    const { url = '' } = request.routeOptions;
    if (request.session.adminUser !== undefined || open.has(url)) return;
    const isPage =
      url.startsWith(`${rootPath}/`) && !url.startsWith(`${rootPath}/api/`) && url !== logoutPath;
    // Not in a session: anybody could make the panel remember any number of them.
    if (request.method === 'GET' && isPage && request.url.length < 2_000) {
      reply.setCookie(WANTED, request.url, {
        ...COOKIE,
        path: loginPath,
        secure: request.protocol === 'https',
      });
    }
    return reply.redirect(loginPath);
  });
}

/** By digests, so that the time it takes says nothing of what was right. */
function isSame(given: unknown, expected: string): boolean {
  return timingSafeEqual(hash('sha256', String(given), 'buffer'), hash('sha256', expected, 'buffer'));
}
