import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ConditionsService } from '../conditions/conditions.service.js';
import type { ConditionsQuery } from '../conditions/conditions-query.dto.js';
import { JSON_TYPE } from '../http/conditional-requests.js';
import type { IncludeQuery } from './dto/include-query.dto.js';
import { type Found, SubmissionsService } from './lifecycle/submissions.service.js';
import type { SubmissionReference } from './submission-reference.decorator.js';
import { type SubmissionState, withValidator } from './submission-state.js';
import type { ValuesAndRecordsRow, ValuesRow } from './submission.statements.js';

/** The records only where a query asks for them. */
type Stored = ValuesRow & Partial<ValuesAndRecordsRow>;

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
    const found = await this.find(reference, query);
    return `{${this.members('data', found, query)}}`;
  }

  /**
   * The body of a response with its validator. Where `query` includes conditions they are beside the data, by what is
   * `found`, or by default what is stored by now; where it does not, they cost nothing.
   */
  respond(
    state: SubmissionState,
    reference: Pick<SubmissionReference, 'userId' | 'uuid'>,
    query: IncludeQuery,
    reply: FastifyReply,
    found?: Found<Stored>,
  ): object | Promise<string> {
    return query.include === undefined
      ? withValidator(state, reply)
      : this.including(state, reference, query, reply, found);
  }

  private async including(
    state: SubmissionState,
    reference: Pick<SubmissionReference, 'userId' | 'uuid'>,
    query: IncludeQuery,
    reply: FastifyReply,
    found?: Found<Stored>,
  ): Promise<string> {
    const evaluated = found ?? (await this.find(reference, query));
    void reply.header('Content-Type', JSON_TYPE);
    const { data } = withValidator(state, reply);
    return `{"data":${JSON.stringify(data)},${this.members('conditions', evaluated, query)}}`;
  }

  private find(
    reference: Pick<SubmissionReference, 'userId' | 'uuid'>,
    { scope }: ConditionsQuery,
  ): Promise<Found<Stored>> {
    return scope === 'records'
      ? this.submissions.getValuesAndRecords(reference)
      : this.submissions.getValues(reference);
  }

  /** All that the query asks for, as members of a body, of which `name` is that of the states. */
  private members(name: 'data' | 'conditions', { form, submission }: Found<Stored>, query: ConditionsQuery) {
    const { values, records = [] } = submission;
    const states = `"${name}":${this.conditions.resolve(form, values, query)}`;
    return query.scope === 'records'
      ? `${states},"records":${this.conditions.resolveRecords(form, values, records, query)}`
      : states;
  }
}
