import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/public.decorator.js';
import { ApiPublic } from '../http/openapi/openapi.decorators.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { BaseUrl } from '../http/headers/base-url.js';
import { representationOf } from '../http/headers/conditional-requests.js';
import { PageQuery } from '../http/pagination.js';
import { SchemaQuery } from './dto/schema-query.dto.js';
import {
  ApiGetForm,
  ApiGetFormBySlug,
  ApiGetFormSchema,
  ApiListForms,
  ApiResolveFormConditions,
} from './forms.openapi.js';
import { FormsService } from './forms.service.js';
import { FormConditionsQuery } from './states/conditions-query.dto.js';

/** A kept version never changes (N3). */
const IMMUTABLE = 'public, max-age=31536000, immutable';

@Public()
@ApiPublic('Forms')
@Controller(`${API_PREFIX}/forms`)
export class FormsController {
  constructor(private readonly forms: FormsService) {}

  @ApiListForms()
  @Get()
  async list(
    @Query() query: PageQuery,
    @BaseUrl() baseUrl: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const list = await this.forms.listActive(query, `${baseUrl}${API_PREFIX}/forms`);
    return representationOf(list, request, reply);
  }

  @ApiGetForm()
  @Get(':uuid')
  async get(
    @Param('uuid') uuid: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return representationOf(await this.forms.getByUuid(uuid), request, reply);
  }

  @ApiGetFormBySlug()
  @Get(':slug/by-slug')
  async getBySlug(
    @Param('slug') slug: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return representationOf(await this.forms.getBySlug(slug), request, reply);
  }

  @ApiGetFormSchema()
  @Get(':uuid/schema')
  async getSchema(
    @Param('uuid') uuid: string,
    @Query() { version }: SchemaQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return version === undefined
      ? representationOf(await this.forms.getSchema(uuid), request, reply)
      : representationOf(await this.forms.getSchemaOf(uuid, version), request, reply, IMMUTABLE);
  }

  @ApiResolveFormConditions()
  @Get(':uuid/conditions')
  async resolveConditions(
    @Param('uuid') uuid: string,
    @Query() query: FormConditionsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return representationOf(await this.forms.getConditions(uuid, query), request, reply);
  }
}
