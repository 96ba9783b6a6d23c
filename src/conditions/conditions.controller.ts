import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiGuarded } from '../http/openapi/openapi.decorators.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { JSON_TYPE } from '../http/headers/conditional-requests.js';
import { Reference, type SubmissionReference } from '../submissions/submission-reference.decorator.js';
import { ApiResolveConditions } from './conditions.openapi.js';
import { ConditionsService } from './conditions.service.js';
import { ConditionsQuery } from '../forms/states/conditions-query.dto.js';

@ApiGuarded('Conditions')
@Controller(`${API_PREFIX}/submissions/:uuid/conditions`)
export class ConditionsController {
  constructor(private readonly conditions: ConditionsService) {}

  /** Returns JSON text, because the service builds it from cached parts. */
  @ApiResolveConditions()
  @Get()
  @Header('Content-Type', JSON_TYPE)
  @Header('Cache-Control', 'no-store')
  resolve(@Reference() reference: SubmissionReference, @Query() query: ConditionsQuery): Promise<string> {
    return this.conditions.resolve(reference, query);
  }
}
