import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { settingsOfCapabilities } from './read-environment.js';
import { modulesOf } from './modules.js';
import { AppModule, type AppDependencies } from './app.module.js';
import type { Environment } from '../config/environment.js';
import { trustsProxies } from '../http/client-address.js';
import { rejectClientError } from '../http/errors/client-error.js';
import { corsOptions, SECURITY_HEADERS } from '../http/headers/headers.options.js';
import { deferContinue } from '../http/wire/expect-continue.js';
import { resetUnreadResponses } from '../http/wire/unread-responses.js';
import { deferBodyParsing } from '../http/bodies/json-body.guard.js';
import { rejectMalformedRequests } from '../http/wire/malformed-request.js';
import { FixedWindowStorage } from '../throttling/rate-limit.storage.js';
import { logWhenOver, requestIdOf } from '../http/request-log.js';
import { routableUrl } from '../http/errors/unknown-route.js';
import { NestLogger } from '../process/logging.js';

/** Maximum length of a path parameter. No request head is longer, so an overlong slug gets 404 from its route (F6). */
const MAX_PATH_PARAMETER = 16_384;
/** Milliseconds that a client may take to send a request. With the interval of the checks, the limit is 29 seconds. */
const REQUEST_TIMEOUT = 28_000;
const TIMEOUT_CHECK_INTERVAL = 1_000;

/** Creates the HTTP application. The caller then calls `init()` and `listen()`. */
export async function createApp(dependencies: AppDependencies): Promise<NestFastifyApplication> {
  const { environment, logger } = dependencies.program;
  const redis = await openRedis(environment, logger);
  const adapter = new FastifyAdapter({
    trustProxy: environment.trustProxy.length > 0 ? trustsProxies(environment.trustProxy) : false,
    requestTimeout: REQUEST_TIMEOUT,
    http: {
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL,
      // Otherwise Node.js itself would reject a request without a Host header, in a response that gives no reason.
      requireHostHeader: false,
      // If this is longer than requestTimeout, Node.js 20 also lets bodies take this long.
      headersTimeout: REQUEST_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
    },
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    requestIdHeader: false,
    genReqId: requestIdOf,
    rewriteUrl: routableUrl,
    clientErrorHandler: rejectClientError,
    // Do not load @fastify/middie, because the application has no middleware.
    skipMiddie: true,
  });
  adapter.setOnRequestHook((request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    void reply.header('X-Request-Id', request.id);
    logWhenOver(request, reply, logger);
    done();
  });
  const fastify: FastifyInstance = adapter.getInstance();
  fastify.decorateRequest('user', undefined);
  fastify.decorateRequest('addressHit', undefined);
  fastify.addHook('onClose', (_instance, done) => {
    redis?.close();
    done();
  });
  deferBodyParsing(fastify);
  deferContinue(fastify);
  resetUnreadResponses(fastify);
  rejectMalformedRequests(fastify);

  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of(dependencies, redis ?? new FixedWindowStorage(), {
      settings: await settingsOfCapabilities(),
      modules: await modulesOf(environment),
    }),
    adapter,
    { logger: new NestLogger(logger), bodyParser: false, abortOnError: false },
  ).catch((error: unknown) => {
    // Nest calls no hooks if it could not create the application.
    redis?.close();
    throw error;
  });
  app.useSecurityHeaders(SECURITY_HEADERS);
  app.enableCors(corsOptions(environment.corsOrigins));
  return app;
}

/** Loads the Redis client only if REDIS_URL is set. */
async function openRedis({ redisUrl }: Environment, logger: Logger) {
  if (redisUrl === undefined) return undefined;
  const { RedisWindowStorage } = await import('../throttling/rate-limit.redis.js');
  const redis = new RedisWindowStorage(redisUrl, logger);
  await redis.start();
  return redis;
}
