import { Injectable } from '@nestjs/common';
import type { PublishedForm } from '../forms/published-form.js';
import { valuesByField } from '../submissions/stored-values.js';
import type { SubmissionReference } from '../submissions/submission-reference.js';
import { SubmissionsService } from '../submissions/submissions.service.js';
import type { ExplainedState, FieldState } from './rules/index.js';

interface Resolved {
  readonly form: PublishedForm;
  /** In the order of the form's fields. */
  readonly states: readonly (FieldState | ExplainedState)[];
}

@Injectable()
export class ConditionsService {
  constructor(private readonly submissions: SubmissionsService) {}

  /** The state of every field of the form, by the values stored now (specification, section 2, rule 1). */
  async resolve(reference: SubmissionReference, explain: boolean): Promise<Resolved> {
    const { form, values } = await this.submissions.getWithValues(reference);
    const stored = valuesByField(values);
    const states = explain ? form.rules.explainStates(stored) : form.rules.resolveStates(stored);
    return { form, states };
  }
}
