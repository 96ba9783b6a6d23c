import { Controller, Get, Header, Inject, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BearerGuard } from '../auth/bearer.guard.js';
import { ENVIRONMENT } from '../config/configuration.module.js';
import type { Environment } from '../config/environment.js';
import { API_PREFIX } from '../http/api-request.js';
import { sendJson } from '../http/send-json.js';
import { readQuery } from '../http/validation.js';
import { referenceOf } from '../submissions/submission-reference.js';
import { ConditionsService } from './conditions.service.js';
import { ConditionsQuery } from './conditions-query.dto.js';

@UseGuards(BearerGuard)
@Controller(`${API_PREFIX}/submissions/:uuid/conditions`)
export class ConditionsController {
  constructor(
    private readonly conditions: ConditionsService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  async resolve(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const reference = referenceOf(request);
    const { shape = this.environment.conditionsShape, explain } = readQuery(ConditionsQuery, request.query);
    sendJson(reply, await this.conditions.resolve(reference, shape, explain === 'true'));
  }
}
