import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ConditionsService } from '../conditions/conditions.service.js';
import type { ConditionsQuery } from '../conditions/conditions-query.dto.js';
import { JSON_TYPE } from '../http/conditional-requests.js';
import type { IncludeQuery } from './dto/include-query.dto.js';
import { type Found, SubmissionsService } from './lifecycle/submissions.service.js';
import type { SubmissionReference } from './submission-reference.decorator.js';
import type { ValuesRow } from './submission.statements.js';

/**
 * Bodies with conditions, on their own and beside what a request responds with (V13). They are put together as text,
 * because the states are texts that are written once for a form.
 */
@Injectable()
export class SubmissionConditionsService {
  constructor(
    private readonly submissions: SubmissionsService,
    private readonly conditions: ConditionsService,
  ) {}

  async read(reference: SubmissionReference, query: ConditionsQuery): Promise<string> {
    const found = await this.submissions.getValues(reference);
    return `{${this.members('data', found, query)}}`;
  }

  /**
   * The body as it is where `query` includes nothing, which costs nothing; otherwise with the conditions beside its
   * data, by what is `found`, or by default what is stored by now.
   */
  beside<Body extends object>(
    body: Body,
    reference: Pick<SubmissionReference, 'userId' | 'uuid'>,
    query: IncludeQuery,
    reply: FastifyReply,
    found?: Found<ValuesRow>,
  ): Body | Promise<string> {
    return query.include === undefined ? body : this.included(body, reference, query, reply, found);
  }

  private async included(
    body: object,
    reference: Pick<SubmissionReference, 'userId' | 'uuid'>,
    query: IncludeQuery,
    reply: FastifyReply,
    found?: Found<ValuesRow>,
  ): Promise<string> {
    const conditions = this.members(
      'conditions',
      found ?? (await this.submissions.getValues(reference)),
      query,
    );
    void reply.header('Content-Type', JSON_TYPE);
    return `${JSON.stringify(body).slice(0, -1)},${conditions}}`;
  }

  /** All that the query asks for, as members of a body, of which `name` is that of the states. */
  private members(
    name: 'data' | 'conditions',
    { form, submission }: Found<ValuesRow>,
    query: ConditionsQuery,
  ) {
    return `"${name}":${this.conditions.resolve(form, submission.values, query)}`;
  }
}
