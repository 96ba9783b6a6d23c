import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Database } from '../database/database.js';
import { CacheableBody } from '../http/headers/cacheable-body.js';
import { type PageQuery, presentPage, readPage } from '../http/pagination.js';
import { notFound } from '../http/errors/problems.js';
import { inSlices } from '../http/slices.js';
import { FormVersionsService } from './form-versions.service.js';
import { presentForm } from './form.presenter.js';
import { LIST_ACTIVE_FORMS } from './form.statements.js';
import type { PublishedForm } from './published-form.js';
import { PublishedFormsService } from './published-forms.service.js';
import type { FormConditionsQuery } from '../conditions/states/conditions-query.dto.js';
import { resolveConditions } from '../conditions/states/resolve-conditions.js';

type Conditions = CacheableBody | Promise<CacheableBody>;

@Injectable()
export class FormsService {
  /** The states without values, by form and query. `PublishedFormsService` counts their bytes. */
  private readonly conditions = new WeakMap<PublishedForm, Map<string, Conditions>>();

  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
    private readonly versions: FormVersionsService,
    private readonly environment: Environment,
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
    if (schema === undefined) throw notFound('Version');
    return schema;
  }

  /** Returns the states of a submission without values (P11). */
  async getConditions(uuid: string, query: FormConditionsQuery): Promise<CacheableBody> {
    const form = getOrNotFound(await this.published.byUuid(uuid));
    const { shape = this.environment.conditionsShape, steps } = query;
    const bodies = this.conditions.get(form) ?? new Map<string, Conditions>();
    this.conditions.set(form, bodies);
    const key = `${shape} ${steps === 'true'}`;
    let body = bodies.get(key);
    if (body === undefined) {
      body = withoutValues(form, { shape, steps });
      bodies.set(key, body);
    }
    return body;
  }
}

/** The states depend only on the form, so they are resolved once for each version. */
async function withoutValues(
  form: PublishedForm,
  query: Required<Pick<FormConditionsQuery, 'shape'>> & FormConditionsQuery,
): Promise<CacheableBody> {
  const text = await resolveConditions(form, { values: [] }, query, query.shape);
  return inSlices(CacheableBody.ofPieces([text], true));
}

function getOrNotFound(form: PublishedForm | undefined): PublishedForm {
  if (form === undefined) throw notFound('Form');
  return form;
}
