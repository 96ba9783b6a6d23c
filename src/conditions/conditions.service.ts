import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import type { PublishedForm } from '../forms/published-form.js';
import { presentExplained, presentStates } from './conditions.presenter.js';
import type { ConditionsQuery } from './conditions-query.dto.js';
import type { StoredValue } from './rules/index.js';

@Injectable()
export class ConditionsService {
  constructor(private readonly environment: Environment) {}

  /** The state of every field of the form, by these stored values (specification, section 2, rule 1), as JSON. */
  resolve(
    form: PublishedForm,
    values: readonly StoredValue[],
    { shape = this.environment.conditionsShape, explain }: ConditionsQuery,
  ): string {
    return explain === 'true'
      ? presentExplained(shape, form.fields, form.rules.explainStates(values))
      : presentStates(shape, form.fields, form.rules.resolveStates(values));
  }
}
