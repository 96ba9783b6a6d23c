import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import type { PublishedForm } from '../forms/published-form.js';
import { todayIn } from '../forms/field-rules/today.js';
import { PublishedFormsService } from '../forms/published-forms.service.js';
import { CacheableBody } from '../http/headers/cacheable-body.js';
import { notFoundProblem } from '../http/errors/problems.js';
import { inSlices } from '../http/slices.js';
import { withComputedValues } from './states/computed-values.js';
import type { FormConditionsQuery } from './states/conditions-query.dto.js';
import { resolveConditions } from './states/resolve-conditions.js';

/** Maximum bodies of a form. `PublishedFormsService` counts the bytes of so many; the results of formulas without values are mostly empty. */
const MAX_BODIES = 4;

/** The states without values, by query. */
interface Conditions {
  /** The date for which values were computed. Empty if no formula uses it. */
  readonly date: string;
  readonly bodies: Map<string, CacheableBody | Promise<CacheableBody>>;
}

@Injectable()
export class FormConditionsService {
  private readonly conditions = new WeakMap<PublishedForm, Conditions>();

  constructor(
    private readonly published: PublishedFormsService,
    private readonly environment: Environment,
  ) {}

  /** Returns the states of a submission without values (P11). */
  async withoutValues(uuid: string, query: FormConditionsQuery): Promise<CacheableBody> {
    const form = await this.published.byUuid(uuid);
    if (form === undefined) throw notFoundProblem('Form');
    const { shape = this.environment.conditionsShape, steps, computed } = query;
    const date = form.rules.computed?.usesToday === true ? todayIn(form.timeZone).single : '';
    const key = `${shape} ${steps === 'true'} ${computed === 'true'}`;
    let conditions = this.conditions.get(form);
    if (conditions?.date !== date) this.conditions.set(form, (conditions = { date, bodies: new Map() }));
    let body = conditions.bodies.get(key);
    if (body === undefined) {
      body = resolve(form, { shape, steps, computed });
      // Clients of a form use few queries.
      if (conditions.bodies.size === MAX_BODIES) conditions.bodies.clear();
      conditions.bodies.set(key, body);
    }
    return body;
  }
}

/** The states depend only on the form, and on the date if a formula uses it. */
async function resolve(
  form: PublishedForm,
  query: Required<Pick<FormConditionsQuery, 'shape'>> & FormConditionsQuery,
): Promise<CacheableBody> {
  const values = await withComputedValues(form, { values: [] });
  const text = await resolveConditions(form, { values }, query, query.shape);
  return inSlices(CacheableBody.ofPieces([text], true));
}
