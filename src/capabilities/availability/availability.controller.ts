import { Controller, Get, Header, Param } from '@nestjs/common';
import { Public } from '../../auth/public.decorator.js';
import { ApiFormUuid } from '../../forms/form-uuid.openapi.js';
import { API_PREFIX } from '../../http/api-prefix.js';
import {
  ApiErrors,
  ApiPublic,
  ApiRoute,
  ApiSuccess,
  URL_ERRORS,
} from '../../http/openapi/openapi.decorators.js';
import { dataEnvelope, one } from '../../http/openapi/openapi.schemas.js';
import { AvailabilityService } from './availability.service.js';
import { AvailabilityResponse } from './dto/availability.response.js';

const EXAMPLE = {
  ...{ is_open: true, opens_at: null, closes_at: '2026-12-18T11:00:00.000000Z', places_left: 7 },
  options: [{ field_id: 5, field_code: 'workshop', value: 'pottery', places_left: 0 }],
};

@Public()
@ApiPublic('Forms')
@Controller(`${API_PREFIX}/forms`)
export class AvailabilityController {
  constructor(private readonly availability: AvailabilityService) {}

  @ApiRoute(
    'Read whether a form is open',
    'Returns when the form opens and closes, and how many places are left. Read it before a person begins.',
  )
  @ApiFormUuid()
  @ApiSuccess(200, dataEnvelope(one(AvailabilityResponse, EXAMPLE)))
  @ApiErrors(...URL_ERRORS, 'form_not_found')
  @Get(':uuid/availability')
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', 'application/json; charset=utf-8')
  getAvailability(@Param('uuid') uuid: string): Promise<string> {
    return this.availability.find(uuid);
  }
}
