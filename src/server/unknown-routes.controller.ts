import { All, Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiExcludeController } from '#swagger';
import { Public } from '../auth/public.decorator.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { unknownRoute } from '../http/errors/unknown-route.js';

/** Catch-all below the API's prefix, so that unknown paths are rate-limited too (E3, E4). */
@Public()
@ApiExcludeController()
@Controller(API_PREFIX)
export class UnknownRoutesController {
  @All(['', '*'])
  reject(@Req() request: FastifyRequest): never {
    throw unknownRoute(request);
  }
}
