import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { resolveConditions } from '../forms/states/resolve-conditions.js';
import { Environment } from '../config/environment.js';
import { JSON_TYPE } from '../http/headers/conditional-requests.js';
import type { IncludeQuery } from './dto/include-query.dto.js';
import { type Found, SubmissionsService } from './lifecycle/submissions.service.js';
import type { Owned } from './submission-reference.decorator.js';
import { type SubmissionState, withETag } from './submission-state.js';
import type { ValuesAndRecordsRow, ValuesRow } from './submission.statements.js';

type Stored = Found<ValuesRow & Partial<ValuesAndRecordsRow>>;

/** Conditions beside what a request responds with (V13). */
@Injectable()
export class IncludedConditionsService {
  constructor(
    private readonly submissions: SubmissionsService,
    private readonly environment: Environment,
  ) {}

  /**
   * The body of a response with its validator. Where `query` includes conditions they are beside the data, by what is
   * `found`, or by default what is stored by now; where it does not, they cost nothing.
   */
  respond(
    state: SubmissionState,
    reference: Owned,
    query: IncludeQuery,
    reply: FastifyReply,
    found?: Stored,
  ): object | Promise<string> {
    return query.include === undefined
      ? withETag(state, reply)
      : this.including(state, reference, query, reply, found);
  }

  /** As text, because the states are texts that are written once for a form. */
  private async including(
    state: SubmissionState,
    reference: Owned,
    query: IncludeQuery,
    reply: FastifyReply,
    found?: Stored,
  ): Promise<string> {
    const { form, submission } =
      found ?? (await this.submissions.getStored(reference, query.scope === 'records'));
    const conditions = await resolveConditions(form, submission, query, this.environment.conditionsShape);
    void reply.header('Content-Type', JSON_TYPE);
    const { data } = withETag(state, reply);
    return `{"data":${JSON.stringify(data)},"conditions":${conditions}}`;
  }
}
