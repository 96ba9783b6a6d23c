import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiExcludeController } from '#swagger';
import { Public } from '../auth/public.decorator.js';
import { API_PREFIX } from './api-prefix.js';
import { unknownRoute } from './unknown-route.js';

/** Gives what is under the API's prefix and no route of it a handler, so that it is counted like all others (E3, E4). */
@Public()
@ApiExcludeController()
@Controller(API_PREFIX)
export class UnknownRoutesController {
  @All(['', '*'])
  reject(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): never {
    const problem = unknownRoute(request);
    // Caches may keep a 404, and there may be such a route once files are switched on, or in the next version.
    if (problem.code === 'route_not_found') void reply.header('Cache-Control', 'no-store');
    throw problem;
  }
}
