import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Executor } from '../database/statement.js';
import type { PublishedField, PublishedForm } from '../forms/published-form.js';
import type { Rule } from '../forms/field-rules/rule.js';
import type { SubmissionExtension } from './entities/submission.js';

/** Marks a provider that is a {@link SubmissionExtender}. */
export const ExtendsSubmission = DiscoveryService.createDecorator();

/** Accepts properties of bodies, and adds to the errors of a submission. */
export interface SubmissionExtender {
  /**
   * Reads columns of a submission from the body that begins or changes it. Leaves out those that the body does not mention. Undefined: it
   * mentions none.
   *
   * @throws Problem 422 if a property is malformed
   */
  columnsIn?(body: object): Partial<SubmissionExtension> | undefined;
  /** Returns the messages of rules for a submission. Undefined: the messages of the form. */
  messagesFor?(
    executor: Executor,
    form: PublishedForm,
    submission: SubmissionExtension,
  ): Promise<FindMessage> | undefined;
}

/** Returns the message of a rule with a message of its own. */
export type FindMessage = (
  field: PublishedField,
  rule: Pick<Rule, 'kind' | 'message' | 'otherFieldCode'>,
) => string | null;

/** Asks the extenders. */
@Injectable()
export class SubmissionExtenders implements OnModuleInit {
  private extenders: readonly SubmissionExtender[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const providers = this.discovery.getProviders({ metadataKey: ExtendsSubmission.KEY });
    this.extenders = providers.map(({ instance }) => instance as SubmissionExtender);
  }

  /** Undefined: the body mentions no column, as most do. */
  columnsIn(body: object): Partial<SubmissionExtension> | undefined {
    let columns: Partial<SubmissionExtension> | undefined;
    for (const extender of this.extenders) {
      const own = extender.columnsIn?.(body);
      if (own !== undefined) columns = { ...columns, ...own };
    }
    return columns;
  }

  /** Returns the messages of the first extender that has any. */
  messagesFor(
    executor: Executor,
    form: PublishedForm,
    submission: SubmissionExtension,
  ): Promise<FindMessage> | undefined {
    for (const extender of this.extenders) {
      const messages = extender.messagesFor?.(executor, form, submission);
      if (messages !== undefined) return messages;
    }
    return undefined;
  }
}
