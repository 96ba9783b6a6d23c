import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { needsRecords } from '../conditions/states/conditions-query.dto.js';
import { resolveConditions } from '../conditions/states/resolve-conditions.js';
import { Environment } from '../config/environment.js';
import { JSON_TYPE } from '../http/headers/conditional-requests.js';
import type { IncludeQuery } from './dto/include-query.dto.js';
import { type Found, SubmissionsService } from './lifecycle/submissions.service.js';
import type { Owned } from './submission-reference.decorator.js';
import { type SubmissionState, withETag } from './submission-state.js';
import type { ValuesAndRecordsRow, ValuesRow } from './submission.rows.js';

type Stored = Found<ValuesRow & Partial<ValuesAndRecordsRow>>;

/** Adds the states of fields to a response, as `conditions` (V13). */
@Injectable()
export class IncludedConditionsService {
  constructor(
    private readonly submissions: SubmissionsService,
    private readonly environment: Environment,
  ) {}

  /**
   * Returns the body of a response and sets its ETag. If the query asks for conditions, resolves them on
   * the `found` values or, by default, on the values stored now. In this case the body is JSON text,
   * because it contains cached JSON. The form may change between a write and its conditions, so they have a version of their own (N1).
   */
  async respond(
    state: SubmissionState,
    reference: Owned,
    query: IncludeQuery,
    reply: FastifyReply,
    found?: Stored,
  ): Promise<object | string> {
    if (query.include === undefined) return withETag(state, reply);
    const resolve = ({ form, submission }: Stored) =>
      resolveConditions(form, submission, query, this.environment.conditionsShape);
    const conditions = await (found === undefined
      ? this.submissions.getStored(reference, needsRecords(query), resolve)
      : resolve(found));
    void reply.header('Content-Type', JSON_TYPE);
    const { data, form_version } = withETag(state, reply);
    return `{"data":${JSON.stringify(data)},"form_version":${form_version},"conditions":${conditions}}`;
  }
}
