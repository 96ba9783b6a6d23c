import { Controller, Get, Header, Query } from '@nestjs/common';
import { API_PREFIX } from '../http/api-prefix.js';
import { JSON_TYPE } from '../http/headers/conditional-requests.js';
import { Reference, type SubmissionReference } from '../submissions/submission-reference.decorator.js';
import { ConditionsQuery } from './states/conditions-query.dto.js';
import { CONDITIONS } from './states/conditions.response.js';
import { ApiGuarded, ApiRoute, ApiSuccess } from '../http/openapi/openapi.decorators.js';
import { ApiReadsSubmission } from '../submissions/submission-reference.openapi.js';
import { ConditionsService } from './conditions.service.js';

@ApiGuarded('Conditions')
@Controller(`${API_PREFIX}/submissions/:uuid/conditions`)
export class ConditionsController {
  constructor(private readonly conditions: ConditionsService) {}

  /** Returns JSON text, because the service builds it from cached parts. */
  @ApiRoute(
    'Resolve which fields are visible and required',
    'Evaluates all conditions of the form on the stored values. Call it after you store values and after a change of ' +
      'step, and render the result.',
  )
  @ApiSuccess(200, CONDITIONS)
  @ApiReadsSubmission('invalid_data')
  @Get()
  @Header('Content-Type', JSON_TYPE)
  @Header('Cache-Control', 'no-store')
  resolveConditions(
    @Reference() reference: SubmissionReference,
    @Query() query: ConditionsQuery,
  ): Promise<string> {
    return this.conditions.resolve(reference, query);
  }
}
