import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { DraftsService } from '../submissions/drafts/drafts.service.js';
import type { SubmissionReference } from '../submissions/submission-reference.decorator.js';
import { type ConditionsQuery, needsRecords } from './states/conditions-query.dto.js';
import { resolveConditions } from './states/resolve-conditions.js';

@Injectable()
export class ConditionsService {
  constructor(
    private readonly drafts: DraftsService,
    private readonly environment: Environment,
  ) {}

  /** Returns the states of a submission's fields for the stored values, as JSON. */
  resolve(reference: SubmissionReference, query: ConditionsQuery): Promise<string> {
    return this.drafts.readValues(reference, needsRecords(query), ({ form, submission }) =>
      resolveConditions(form, submission, query, this.environment.conditionsShape),
    );
  }
}
