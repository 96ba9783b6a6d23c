import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import type { PublishedForm } from '../forms/published-form.js';
import { PublishedFormsService } from '../forms/published-forms.service.js';
import { CacheableBody } from '../http/headers/cacheable-body.js';
import { notFoundProblem } from '../http/errors/problems.js';
import { inSlices } from '../http/slices.js';
import type { FormConditionsQuery } from './states/conditions-query.dto.js';
import { resolveConditions } from './states/resolve-conditions.js';

type Conditions = CacheableBody | Promise<CacheableBody>;

@Injectable()
export class FormConditionsService {
  /** The states without values, by form and query. `PublishedFormsService` counts their bytes. */
  private readonly conditions = new WeakMap<PublishedForm, Map<string, Conditions>>();

  constructor(
    private readonly published: PublishedFormsService,
    private readonly environment: Environment,
  ) {}

  /** Returns the states of a submission without values (P11). */
  async withoutValues(uuid: string, query: FormConditionsQuery): Promise<CacheableBody> {
    const form = await this.published.byUuid(uuid);
    if (form === undefined) throw notFoundProblem('Form');
    const { shape = this.environment.conditionsShape, steps } = query;
    const bodies = this.conditions.get(form) ?? new Map<string, Conditions>();
    this.conditions.set(form, bodies);
    const key = `${shape} ${steps === 'true'}`;
    let body = bodies.get(key);
    if (body === undefined) {
      body = resolve(form, { shape, steps });
      bodies.set(key, body);
    }
    return body;
  }
}

/** The states depend only on the form, so they are resolved once for each version. */
async function resolve(
  form: PublishedForm,
  query: Required<Pick<FormConditionsQuery, 'shape'>> & FormConditionsQuery,
): Promise<CacheableBody> {
  const text = await resolveConditions(form, { values: [] }, query, query.shape);
  return inSlices(CacheableBody.ofPieces([text], true));
}
