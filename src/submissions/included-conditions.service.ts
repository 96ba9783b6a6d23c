import { Injectable } from '@nestjs/common';
import { needsRecords } from '../conditions/states/conditions-query.dto.js';
import { resolveConditions } from '../conditions/states/resolve-conditions.js';
import { Environment } from '../config/environment.js';
import { DraftsService, type SubmissionWithForm, type ValuesOfSubmission } from './drafts/drafts.service.js';
import type { IncludeQuery } from './dto/include-query.dto.js';
import type { OwnSubmission } from './submission-reference.decorator.js';
import type { SubmissionState } from './submission-state.js';

type ReadValues = SubmissionWithForm<ValuesOfSubmission>;

/** Adds the states of fields to a response, as `conditions` (V13). */
@Injectable()
export class IncludedConditionsService {
  constructor(
    private readonly drafts: DraftsService,
    private readonly environment: Environment,
  ) {}

  /**
   * Adds the states if the query asks for them. Resolves them on the values of `read` or, by default, on the values stored now. The form
   * may change between a write and its conditions, so they have a version of their own (N1).
   */
  async include(
    state: SubmissionState,
    own: OwnSubmission,
    query: IncludeQuery,
    read?: ReadValues,
  ): Promise<SubmissionState> {
    if (query.include === undefined) return state;
    const resolve = ({ form, submission }: ReadValues) =>
      resolveConditions(form, submission, query, this.environment.conditionsShape);
    // A write that is done must not get 503 because it had to wait, so the states have time of their own.
    const conditions = await (read === undefined
      ? this.drafts.readValues({ ...own, arrivedAt: performance.now() }, needsRecords(query), resolve)
      : resolve(read));
    return { ...state, conditions };
  }
}
