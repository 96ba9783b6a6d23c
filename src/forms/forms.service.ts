import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { CacheableBody } from '../http/headers/cacheable-body.js';
import { type PageQuery, presentPage, readPage } from '../http/pagination.js';
import { notFoundProblem } from '../http/errors/problems.js';
import { FormVersionsService } from './form-versions.service.js';
import { presentForm } from './form.presenter.js';
import { LIST_ACTIVE_FORMS } from './form.statements.js';
import type { PublishedForm } from './published-form.js';
import { PublishedFormsService } from './published-forms.service.js';

@Injectable()
export class FormsService {
  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
    private readonly versions: FormVersionsService,
  ) {}

  async listActive(query: PageQuery, url: string): Promise<CacheableBody> {
    const { perPage, offset } = readPage(query);
    const [list] = await this.database.query(LIST_ACTIVE_FORMS, [perPage, offset]);
    const { total, forms } = list ?? { total: 0, forms: [] };
    return new CacheableBody(presentPage(url, query, total, forms.map(presentForm)), false);
  }

  async getByUuid(uuid: string): Promise<CacheableBody> {
    return getOrNotFound(await this.published.byUuid(uuid)).formBody;
  }

  async getBySlug(slug: string): Promise<CacheableBody> {
    return getOrNotFound(await this.published.bySlug(slug)).formBody;
  }

  async getSchema(uuid: string): Promise<CacheableBody> {
    return getOrNotFound(await this.published.byUuid(uuid)).schemaBody;
  }

  /** Returns the schema as it was in a version that was kept (N3). */
  async getSchemaOf(uuid: string, version: number): Promise<CacheableBody> {
    const form = getOrNotFound(await this.published.byUuid(uuid));
    const schema = await this.versions.schema(form, version);
    if (schema === undefined) throw notFoundProblem('Version');
    return schema;
  }
}

function getOrNotFound(form: PublishedForm | undefined): PublishedForm {
  if (form === undefined) throw notFoundProblem('Form');
  return form;
}
