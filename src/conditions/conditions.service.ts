import { Injectable } from '@nestjs/common';
import type { PublishedField } from '../forms/published-form.js';
import type { SubmissionReference } from '../submissions/submission-reference.js';
import type { StoredValue } from '../submissions/submission-rows.js';
import { SubmissionsService } from '../submissions/submissions.service.js';
import type { FieldState } from './rules/index.js';

export interface ResolvedStates {
  readonly fields: readonly PublishedField[];
  /** In the order of `fields`. */
  readonly states: readonly FieldState[];
}

@Injectable()
export class ConditionsService {
  constructor(private readonly submissions: SubmissionsService) {}

  /** The state of every field of the form, by the values stored now (specification, section 2, rule 1). */
  async resolve(reference: SubmissionReference): Promise<ResolvedStates> {
    const { form, values } = await this.submissions.getWithValues(reference);
    return { fields: form.fields, states: form.rules.resolveStates(byField(values)) };
  }
}

function byField(values: readonly StoredValue[]): Map<number, string[]> {
  const stored = new Map<number, string[]>();
  for (const [fieldId, , value] of values) {
    const others = stored.get(fieldId);
    if (others === undefined) stored.set(fieldId, [value]);
    else others.push(value);
  }
  return stored;
}
