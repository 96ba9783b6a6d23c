import { Controller, Get, Header, Inject, Query, UseGuards } from '@nestjs/common';
import { BearerGuard } from '../auth/bearer.guard.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { API_PREFIX } from '../http/api-request.js';
import { Reference, type SubmissionReference } from '../submissions/submission-reference.js';
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
  @Header('Cache-Control', 'no-store')
  async resolve(@Reference() reference: SubmissionReference, @Query() query: ConditionsQuery) {
    const { form, states } = await this.conditions.resolve(reference, query.explain === 'true');
    return { data: presentStates(query.shape ?? this.environment.conditionsShape, form, states) };
  }
}
