import { Injectable } from '@nestjs/common';
import type { ConditionsShape } from '../config/environment.js';
import type { SubmissionReference } from '../submissions/submission-reference.decorator.js';
import { SubmissionsService } from '../submissions/lifecycle/submissions.service.js';
import { presentExplained, presentStates } from './conditions.presenter.js';

@Injectable()
export class ConditionsService {
  constructor(private readonly submissions: SubmissionsService) {}

  /** The state of every field of the form, by the values stored now (specification, section 2, rule 1), as JSON. */
  async resolve(reference: SubmissionReference, shape: ConditionsShape, explain: boolean): Promise<string> {
    const { form, submission } = await this.submissions.getValues(reference);
    const states = explain
      ? presentExplained(shape, form.fields, form.rules.explainStates(submission.values))
      : presentStates(shape, form.fields, form.rules.resolveStates(submission.values));
    return `{"data":${states}}`;
  }
}
