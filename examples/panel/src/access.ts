import { hash, timingSafeEqual } from 'node:crypto';
import { buildAuthenticatedRouter } from '@adminjs/fastify';
import rateLimit from '@fastify/rate-limit';
import AdminJS, { Router } from 'adminjs';
import type { FastifyInstance } from 'fastify';

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

const TWELVE_HOURS = 12 * 60 * 60 * 1000;
const ATTEMPTS_A_MINUTE = 10;

/** The pages of the panel, behind its login. Sessions end with the process. */
export async function addPages(
  app: FastifyInstance,
  admin: AdminJS,
  credentials: Credentials,
  secret: string,
): Promise<void> {
  const { loginPath } = admin.options;
  app.addHook('onRoute', (route) => {
    if (route.url === loginPath && route.method === 'POST') {
      route.config = { ...route.config, rateLimit: { max: ATTEMPTS_A_MINUTE, timeWindow: '1 minute' } };
    }
  });
  await app.register(rateLimit, { global: false });
  askForLogin(app, admin);
  await buildAuthenticatedRouter(
    admin,
    {
      cookieName: 'formtrail-panel',
      cookiePassword: secret,
      authenticate: async (email: string, password: string, context) => {
        if (!isSame(email, credentials.email) || !isSame(password, credentials.password)) return null;
        // Whoever knew the session before has nothing of it now.
        await context?.request.session.regenerate(['redirectTo']);
        return { email };
      },
    },
    app,
    {
      secret,
      saveUninitialized: false,
      // No other site can send a POST of who is logged in; with https, nothing at all.
      cookie: { httpOnly: true, sameSite: 'strict', secure: 'auto', maxAge: TWELVE_HOURS },
    },
  );
}

/**
 * By the route itself. The hook of @adminjs/fastify lets every request pass whose address has that of an asset anywhere in
 * it, be it in the query.
 */
function askForLogin(app: FastifyInstance, admin: AdminJS): void {
  const { rootPath, loginPath } = admin.options;
  const assets = [...Router.assets, ...Router.routes.filter(({ action }) => action === 'bundleComponents')];
  const open = new Set([loginPath, ...assets.map(({ path }) => rootPath + path)]);
  app.addHook('preHandler', async (request, reply) => {
    const { session } = request;
    if (session.adminUser !== undefined || open.has(request.routeOptions.url ?? '')) return;
    const isPage =
      request.routeOptions.url?.startsWith(rootPath) && !request.url.startsWith(`${rootPath}/api/`);
    if (request.method === 'GET' && isPage) session.redirectTo = request.url;
    return reply.redirect(loginPath);
  });
}

/** By digests, so that the time it takes says nothing of what was right. */
function isSame(given: unknown, expected: string): boolean {
  return timingSafeEqual(hash('sha256', String(given), 'buffer'), hash('sha256', expected, 'buffer'));
}
