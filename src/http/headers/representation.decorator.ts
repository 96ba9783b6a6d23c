import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CacheableBody } from './cacheable-body.js';
import { representationOf } from './conditional-requests.js';

export type Represent = (body: CacheableBody, cacheControl?: string) => ReturnType<typeof representationOf>;

/** Injects a function that responds with a cacheable body, or with 304 if the client has cached it. */
export const RepresentBody = createParamDecorator((_data: unknown, context: ExecutionContext): Represent => {
  const http = context.switchToHttp();
  const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
  return (body, cacheControl) => representationOf(body, request, reply, cacheControl);
});
