import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ENVIRONMENT } from '../config/configuration.module.js';
import type { Environment } from '../config/environment.js';
import { Database } from '../database/database.js';
import { API_PREFIX } from '../http/api-request.js';
import { baseUrl } from '../http/base-url.js';
import { CacheableBody } from '../http/cacheable-body.js';
import { type PageQuery, presentPage, readPage } from '../http/pagination.js';
import { notFound } from '../http/problems.js';
import { whenKnown } from '../when-known.js';
import { presentForm } from './form.presenter.js';
import { LIST_ACTIVE_FORMS } from './form-rows.js';
import type { PublishedForm } from './published-form.js';
import { PublishedFormsService } from './published-forms.service.js';

@Injectable()
export class FormsService {
  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async listActive(query: PageQuery, request: FastifyRequest): Promise<CacheableBody> {
    const { perPage, offset } = readPage(query);
    const [list] = await this.database.query(LIST_ACTIVE_FORMS, [perPage, offset]);
    const { total, forms } = list ?? { total: 0, forms: [] };
    const url = `${baseUrl(this.environment, request)}${API_PREFIX}/forms`;
    return new CacheableBody(presentPage(url, query, total, forms.map(presentForm)), false);
  }

  getByUuid(uuid: string): PublishedForm | Promise<PublishedForm> {
    return whenKnown(this.published.byUuid(uuid), getOrNotFound);
  }

  getBySlug(slug: string): PublishedForm | Promise<PublishedForm> {
    return whenKnown(this.published.bySlug(slug), getOrNotFound);
  }
}

function getOrNotFound(form: PublishedForm | undefined): PublishedForm {
  if (form === undefined) throw notFound('Form');
  return form;
}
