import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { CacheableBody } from '../http/headers/cacheable-body.js';
import { type PageQuery, presentPage, readPage } from '../http/pagination.js';
import { notFoundProblem } from '../http/errors/problems.js';
import type { FormView } from './form-extenders.js';
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

  async listActive(query: PageQuery, url: string, view?: FormView): Promise<CacheableBody> {
    const { perPage, offset } = readPage(query);
    const [list] = await this.database.query(LIST_ACTIVE_FORMS, [perPage, offset]);
    const { total, forms } = list ?? { total: 0, forms: [] };
    const shown = view === undefined ? forms : await view.list(forms);
    const page = presentPage(url, query, total, shown.map(presentForm), view?.parameters);
    return new CacheableBody(page, false);
  }

  async getByUuid(uuid: string, view?: FormView): Promise<CacheableBody> {
    const form = getOrNotFound(await this.published.byUuid(uuid));
    return view === undefined ? form.formBody : view.form(form);
  }

  async getBySlug(slug: string, view?: FormView): Promise<CacheableBody> {
    const form = getOrNotFound(await this.published.bySlug(slug));
    return view === undefined ? form.formBody : view.form(form);
  }

  /** Returns the schema, or the schema as it was in a version that was kept (N3). */
  async getSchema(uuid: string, version: number | undefined, view?: FormView): Promise<CacheableBody> {
    const form = getOrNotFound(await this.published.byUuid(uuid));
    if (version === undefined) return view === undefined ? form.schemaBody : view.schema(form);
    const schema = await (view ?? this.versions).keptSchema(form, version);
    if (schema === undefined) throw notFoundProblem('Version');
    return schema;
  }
}

function getOrNotFound(form: PublishedForm | undefined): PublishedForm {
  if (form === undefined) throw notFoundProblem('Form');
  return form;
}
