import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/public.decorator.js';
import { API_PREFIX } from '../http/api-request.js';
import { sendCacheable } from '../http/conditional-requests.js';
import { PageQuery } from '../http/pagination.js';
import { readQuery } from '../http/validation.js';
import { whenKnown } from '../when-known.js';
import { FormsService } from './forms.service.js';

export interface ByUuid {
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
  get(@Req() request: FastifyRequest<ByUuid>, @Res() reply: FastifyReply) {
    return whenKnown(this.forms.getByUuid(request.params.uuid), ({ formBody }) =>
      sendCacheable(request, reply, formBody),
    );
  }

  @Get(':slug/by-slug')
  getBySlug(@Req() request: FastifyRequest<BySlug>, @Res() reply: FastifyReply) {
    return whenKnown(this.forms.getBySlug(request.params.slug), ({ formBody }) =>
      sendCacheable(request, reply, formBody),
    );
  }

  /** Fastify calls it by itself (app.ts), so that a guard or pipe on it would not be asked. */
  @Get(':uuid/schema')
  getSchema(@Req() request: FastifyRequest<ByUuid>, @Res() reply: FastifyReply) {
    return whenKnown(this.forms.getByUuid(request.params.uuid), ({ schemaBody }) =>
      sendCacheable(request, reply, schemaBody),
    );
  }
}
