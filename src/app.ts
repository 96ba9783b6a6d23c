import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { bearerToken } from './auth/bearer-token.js';
import { TokensService } from './auth/tokens.service.js';
import type { Environment } from './config/environment.js';
import type { ChangeListener } from './database/change-listener.js';
import { addHeader, answersWith } from './http/answer.js';
import { isApiRequest } from './http/api-request.js';
import { refuseMalformedHosts } from './http/base-url.js';
import { answerClientError } from './http/client-error.js';
import { LeanAdapter } from './http/lean-adapter.js';
import { allowOrigins, corsHeaders } from './http/cors.js';
import { readJsonBodies } from './http/json-body.js';
import { ProblemFilter } from './http/problem.filter.js';
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
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    requestIdHeader: false,
    genReqId: requestIdOf,
    clientErrorHandler: answerClientError,
    // An unreadable URL reaches neither the router nor what is hooked to it.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      receive(request, reply);
      void app.get(ProblemFilter).answer(error, request, reply);
    },
  });
  const redis = await openRedis(environment, logger);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of(environment, dataSource, listener, redis ?? new FixedWindowStorage()),
    new LeanAdapter(server),
    { logger: new NestLogger(logger), bodyParser: false, abortOnError: false },
  );

  server.addHook('onClose', (_instance, done) => {
    redis?.close();
    done();
  });
  // Before all other hooks, which answer by themselves what they refuse.
  server.addHook('onRequest', (request, reply, done) => {
    receive(request, reply);
    done();
  });
  refuseMalformedHosts(server);
  allowOrigins(server, corsOrigins);
  readJsonBodies(server);
  recogniseUsers(server, app.get(TokensService));
  metrics?.watch(app, server);
  await app.init();
  return app;
}

/** Redis is loaded only where somebody asks for it. */
async function openRedis({ redisUrl }: Environment, logger: Logger) {
  if (redisUrl === undefined) return undefined;
  const { RedisWindowStorage } = await import('./http/rate-limit.redis.js');
  const redis = new RedisWindowStorage(redisUrl, logger);
  await redis.start();
  return redis;
}

/** Finds out whose token a request carries. It refuses nothing: the rate limit comes first, then the bearer guard. */
function recogniseUsers(server: FastifyInstance, tokens: TokensService): void {
  server.decorateRequest('userId', undefined);
  server.decorateRequest('counted', false);
  server.addHook('onRequest', (request, _reply, done) => {
    const token = bearerToken(request.headers.authorization);
    if (token === undefined || !isApiRequest(request)) {
      done();
      return;
    }
    const recognise = (userId: number | undefined) => {
      request.userId = userId;
      done();
    };
    const user = tokens.userOf(token, request.socket);
    // A promise costs more than a look into memory.
    if (user instanceof Promise) user.then(recognise, done);
    else recognise(user);
  });
}
