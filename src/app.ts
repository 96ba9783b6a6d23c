import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteHandlerMethod,
} from 'fastify';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { TokensService } from './auth/tokens.service.js';
import type { Environment } from './config/environment.js';
import type { ChangeListener } from './database/change-listener.js';
import { type ByUuid, FormsController } from './forms/forms.controller.js';
import { addHeader, answersWith } from './http/answer.js';
import { API_PREFIX, isApiRequest } from './http/api-request.js';
import { isHostMalformed } from './http/base-url.js';
import { answerClientError } from './http/client-error.js';
import { LeanAdapter } from './http/lean-adapter.js';
import { allowingOrigins, answerPreflight, corsHeaders } from './http/cors.js';
import { readJsonBodies } from './http/json-body.js';
import { ProblemFilter } from './http/problem.filter.js';
import { badRequest } from './http/problems.js';
import { RateLimit } from './http/rate-limit.js';
import { FixedWindowStorage } from './http/rate-limit.storage.js';
import { logWhenOver, requestIdOf } from './http/request-log.js';
import { securityHeaders } from './http/security-headers.js';
import { NestLogger } from './logging.js';
import type { Metrics } from './metrics/metrics.js';

/** As long as a request's head can be: whatever is too long for a name is unknown, and 404 (F6). */
const MAX_PATH_PARAMETER = 16_384;
/** Milliseconds in which a client must have sent its request, looked at every second: 30 seconds in all. */
const REQUEST_TIMEOUT = 28_000;
const LOOK_FOR_SLOW_CLIENTS_EVERY = 1_000;

/** The HTTP side of the service, set up but not listening; the caller closes the database after it. */
export async function createApp(
  environment: Environment,
  dataSource: DataSource,
  listener: ChangeListener,
  logger: Logger,
  metrics?: Metrics,
): Promise<NestFastifyApplication> {
  const { corsOrigins } = environment;
  const receive = (request: FastifyRequest, reply: FastifyReply) => {
    addHeader(reply, 'X-Request-Id', request.id);
    logWhenOver(request, reply, logger);
  };
  const server: FastifyInstance = fastify({
    trustProxy: environment.trustProxy.length > 0 ? [...environment.trustProxy] : false,
    requestTimeout: REQUEST_TIMEOUT,
    http: {
      connectionsCheckingInterval: LOOK_FOR_SLOW_CLIENTS_EVERY,
      // Where it is longer, Node.js (20) lets bodies take as long too.
      headersTimeout: REQUEST_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      ServerResponse: answersWith({ ...securityHeaders(), ...corsHeaders(corsOrigins) }),
    },
    // To load Fastify's own compilers takes a twentieth of the start.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    requestIdHeader: false,
    genReqId: requestIdOf,
    clientErrorHandler: answerClientError,
    // An unreadable URL reaches neither the router nor what is hooked to it.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      receive(request, reply);
      const answer = (problem: unknown) => {
        app.get(ProblemFilter).answer(problem, request, reply);
      };
      Promise.resolve()
        .then(() => admit(request, reply))
        .then(() => {
          answer(error);
        }, answer);
    },
  });
  const redis = await openRedis(environment, logger);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of(environment, dataSource, listener, redis ?? new FixedWindowStorage()),
    new LeanAdapter(server),
    { logger: new NestLogger(logger), bodyParser: false, abortOnError: false },
  );

  const admit = admission(app.get(TokensService), app.get(RateLimit));
  server.decorateRequest('userId', undefined);
  server.addHook('onClose', (_instance, done) => {
    redis?.close();
    done();
  });
  const allowOrigin = allowingOrigins(corsOrigins);
  const proceed = (request: FastifyRequest, done: (error?: Error) => void) => {
    done(isHostMalformed(request) ? badRequest() : undefined);
  };
  // One hook for all that comes before a request is routed: Fastify takes longer for another than any part of it does.
  server.addHook('onRequest', (request, reply, done) => {
    receive(request, reply);
    allowOrigin(request, reply);
    if (request.method === 'OPTIONS') {
      answerPreflight(reply);
      return;
    }
    const admitted = admit(request, reply);
    if (admitted instanceof Promise)
      admitted.then(() => {
        proceed(request, done);
      }, done);
    else proceed(request, done);
  });
  readJsonBodies(server);
  metrics?.watch(app, server);
  const forms = app.get(FormsController);
  routeDirectly(server, `${API_PREFIX}/forms/:uuid/schema`, (request, reply) =>
    forms.getSchema(request as FastifyRequest<ByUuid>, reply),
  );
  await app.init();
  return app;
}

/**
 * Has Fastify call a handler itself instead of Nest's route of this path: for the one answer that is quick enough for
 * the promises to matter that Nest puts around a controller's method (ADR 14).
 */
function routeDirectly(server: FastifyInstance, path: string, handler: RouteHandlerMethod): void {
  server.addHook('onRoute', (route) => {
    if (route.url === path) route.handler = handler;
  });
}

/** What would compile the schema of a route: validators and serialisers are this project's own. */
function refuseSchema(): never {
  throw new Error('Fastify is not asked to validate or serialise: a route must not have a schema.');
}

/** Redis is loaded only where somebody asks for it. */
async function openRedis({ redisUrl }: Environment, logger: Logger) {
  if (redisUrl === undefined) return undefined;
  const { RedisWindowStorage } = await import('./http/rate-limit.redis.js');
  const redis = new RedisWindowStorage(redisUrl, logger);
  await redis.start();
  return redis;
}

type Admit = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;

/**
 * Finds out whose token a request for the API carries, and counts it against that user or its address (E5). Who has no
 * valid token is refused only where a route needs one, by the bearer guard.
 */
function admission(tokens: TokensService, rateLimit: RateLimit): Admit {
  return (request, reply) => {
    if (!isApiRequest(request)) return;
    const count = (userId: number | undefined) => {
      request.userId = userId;
      return rateLimit.count(request, reply);
    };
    const user = tokens.userOf(request.headers.authorization, request.socket);
    if (!(user instanceof Promise)) return count(user);
    return user.then(count, async (failure: unknown) => {
      await count(undefined);
      throw failure;
    });
  };
}
