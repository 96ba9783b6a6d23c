import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/public.decorator.js';
import { API_PREFIX } from '../http/api-request.js';
import { sendCacheable } from '../http/conditional-requests.js';
import { PageQuery } from '../http/pagination.js';
import { readQuery } from '../http/validation.js';
import { FormsService } from './forms.service.js';

interface ByUuid {
  Params: { uuid: string };
}

interface BySlug {
  Params: { slug: string };
}

@Public()
@Controller(`${API_PREFIX}/forms`)
export class FormsController {
  constructor(private readonly forms: FormsService) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const query = readQuery(PageQuery, request.query);
    await sendCacheable(request, reply, await this.forms.listActive(query, request));
  }

  @Get(':uuid')
  async get(@Req() request: FastifyRequest<ByUuid>, @Res() reply: FastifyReply) {
    await sendCacheable(request, reply, (await this.forms.getByUuid(request.params.uuid)).formBody);
  }

  @Get(':slug/by-slug')
  async getBySlug(@Req() request: FastifyRequest<BySlug>, @Res() reply: FastifyReply) {
    await sendCacheable(request, reply, (await this.forms.getBySlug(request.params.slug)).formBody);
  }

  @Get(':uuid/schema')
  async getSchema(@Req() request: FastifyRequest<ByUuid>, @Res() reply: FastifyReply) {
    await sendCacheable(request, reply, (await this.forms.getByUuid(request.params.uuid)).schemaBody);
  }
}
