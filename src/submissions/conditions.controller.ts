import { Controller, Get, Header, Query } from '@nestjs/common';
import { ConditionsQuery } from '../conditions/conditions-query.dto.js';
import { ApiGuarded } from '../docs/openapi.decorators.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { JSON_TYPE } from '../http/conditional-requests.js';
import { ApiResolveConditions } from './conditions.openapi.js';
import { SubmissionConditionsService } from './submission-conditions.service.js';
import { Reference, type SubmissionReference } from './submission-reference.decorator.js';

@ApiGuarded('Conditions')
@Controller(`${API_PREFIX}/submissions/:uuid/conditions`)
export class ConditionsController {
  constructor(private readonly conditions: SubmissionConditionsService) {}

  @ApiResolveConditions()
  @Get()
  @Header('Content-Type', JSON_TYPE)
  @Header('Cache-Control', 'no-store')
  resolve(@Reference() reference: SubmissionReference, @Query() query: ConditionsQuery): Promise<string> {
    return this.conditions.read(reference, query);
  }
}
