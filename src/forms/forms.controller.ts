import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/public.decorator.js';
import { API_PREFIX } from '../http/api-request.js';
import { sendCacheable } from '../http/conditional-requests.js';
import { PageQuery } from '../http/pagination.js';
import { FormsService } from './forms.service.js';

@Public()
@Controller(`${API_PREFIX}/forms`)
export class FormsController {
  constructor(private readonly forms: FormsService) {}

  @Get()
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    sendCacheable(request, reply, await this.forms.listActive(query, request));
  }

  @Get(':uuid')
  async get(@Param('uuid') uuid: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    sendCacheable(request, reply, (await this.forms.getByUuid(uuid)).formBody);
  }

  @Get(':slug/by-slug')
  async getBySlug(@Param('slug') slug: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    sendCacheable(request, reply, (await this.forms.getBySlug(slug)).formBody);
  }

  @Get(':uuid/schema')
  async getSchema(@Param('uuid') uuid: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    sendCacheable(request, reply, (await this.forms.getByUuid(uuid)).schemaBody);
  }
}
