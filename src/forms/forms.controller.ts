import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiParam } from '#swagger';
import { Public } from '../auth/public.decorator.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { BaseUrl } from '../http/headers/base-url.js';
import { type Represent, RepresentBody } from '../http/headers/representation.decorator.js';
import { PageQuery } from '../http/pagination.js';
import { ApiCacheable, ApiPublic, ApiRoute, URL_ERRORS } from '../http/openapi/openapi.decorators.js';
import { dataEnvelope, one } from '../http/openapi/openapi.schemas.js';
import { SchemaQuery } from './dto/schema-query.dto.js';
import type { FormView } from './form-extenders.js';
import { View } from './form-view.decorator.js';
import { ApiFormUuid } from './form-uuid.openapi.js';
import { FormsService } from './forms.service.js';
import { FormSchemaResponse } from './dto/form-schema.response.js';
import { FormPageResponse, FormResponse } from './dto/form.response.js';
import { form, formPage, formSchema } from './forms.examples.js';
import { MAX_NAME, SLUG } from './limits.js';

/** A kept version never changes (N3). */
const IMMUTABLE = 'public, max-age=31536000, immutable';

@Public()
@ApiPublic('Forms')
@Controller(`${API_PREFIX}/forms`)
export class FormsController {
  constructor(private readonly forms: FormsService) {}

  @ApiRoute('List the active forms', 'Returns a page of forms in ascending order of `id`.')
  @ApiCacheable(one(FormPageResponse, formPage), 'invalid_data')
  @Get()
  async listForms(
    @View() view: FormView | undefined,
    @Query() query: PageQuery,
    @BaseUrl() baseUrl: string,
    @RepresentBody() represent: Represent,
  ) {
    const list = await this.forms.listActive(query, `${baseUrl}${API_PREFIX}/forms`, view);
    return represent(list);
  }

  @ApiRoute('Read a form', 'Returns inactive forms too. Check `is_active`.')
  @ApiFormUuid()
  @ApiCacheable(dataEnvelope(one(FormResponse, form)), ...URL_ERRORS, 'form_not_found', 'invalid_data')
  @Get(':uuid')
  async getForm(
    @Param('uuid') uuid: string,
    @View() view: FormView | undefined,
    @RepresentBody() represent: Represent,
  ) {
    return represent(await this.forms.getByUuid(uuid, view));
  }

  @ApiRoute('Read a form by its slug', 'Returns the same response as reading the form by its UUID.')
  @ApiParam({
    name: 'slug',
    description: 'The `slug` of a form.',
    schema: { type: 'string', pattern: SLUG, maxLength: MAX_NAME, example: form.slug },
  })
  @ApiCacheable(dataEnvelope(one(FormResponse, form)), ...URL_ERRORS, 'form_not_found', 'invalid_data')
  @Get(':slug/by-slug')
  async getFormBySlug(
    @Param('slug') slug: string,
    @View() view: FormView | undefined,
    @RepresentBody() represent: Represent,
  ) {
    return represent(await this.forms.getBySlug(slug, view));
  }

  @ApiRoute(
    'Read the schema of a form',
    'Returns the steps, fields, options and conditions of a form, nested and in display order. The response changes ' +
      'only with `version`.',
  )
  @ApiFormUuid()
  @ApiCacheable(
    dataEnvelope(one(FormSchemaResponse, formSchema)),
    ...URL_ERRORS,
    'form_not_found',
    'version_not_found',
    'invalid_data',
  )
  @Get(':uuid/schema')
  async getFormSchema(
    @Param('uuid') uuid: string,
    @View() view: FormView | undefined,
    @Query() { version }: SchemaQuery,
    @RepresentBody() represent: Represent,
  ) {
    const schema = await this.forms.getSchema(uuid, version, view);
    return represent(schema, version === undefined ? undefined : IMMUTABLE);
  }
}
