import { Controller, Get, Param, Query } from '@nestjs/common';
import { Public } from '../auth/public.decorator.js';
import { ApiFormUuid } from '../forms/form-uuid.openapi.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { type Represent, RepresentBody } from '../http/headers/representation.decorator.js';
import { ApiCacheable, ApiPublic, ApiRoute, URL_ERRORS } from '../http/openapi/openapi.decorators.js';
import { FormConditionsService } from './form-conditions.service.js';
import { FormConditionsQuery } from './states/conditions-query.dto.js';
import { CONDITIONS } from './states/conditions.response.js';

@Public()
@ApiPublic('Forms')
@Controller(`${API_PREFIX}/forms/:uuid/conditions`)
export class FormConditionsController {
  constructor(private readonly conditions: FormConditionsService) {}

  @ApiRoute(
    'Resolve the states of fields before the first answer',
    'Evaluates all conditions of the form without any value. The response changes only with the `version` of the form.',
  )
  @ApiFormUuid()
  @ApiCacheable(CONDITIONS, ...URL_ERRORS, 'form_not_found', 'invalid_data')
  @Get()
  async resolveFormConditions(
    @Param('uuid') uuid: string,
    @Query() query: FormConditionsQuery,
    @RepresentBody() represent: Represent,
  ) {
    return represent(await this.conditions.withoutValues(uuid, query));
  }
}
