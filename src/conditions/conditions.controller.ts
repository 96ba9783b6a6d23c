import { Controller, Get, Inject, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BearerGuard } from '../auth/bearer.guard.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { API_PREFIX } from '../http/api-request.js';
import { sendState } from '../http/send-json.js';
import { readQuery } from '../http/validation.js';
import { referenceOf } from '../submissions/submission-reference.js';
import { presentStates } from './conditions.presenter.js';
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
  async resolve(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const reference = referenceOf(request);
    const query = readQuery(ConditionsQuery, request.query);
    const { form, states } = await this.conditions.resolve(reference, query.explain === 'true');
    sendState(reply, presentStates(query.shape ?? this.environment.conditionsShape, form, states));
  }
}
