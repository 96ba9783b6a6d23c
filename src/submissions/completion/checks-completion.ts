import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Executor } from '../../database/statement.js';
import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import type { FieldError } from '../../http/errors/problems.js';

/** Marks a provider that is a {@link CompletionCheck}. */
export const ChecksCompletion = DiscoveryService.createDecorator();

/** Decides, beside the core, whether strict completion accepts the values of a submission. Validation and step checks ask too. */
export interface CompletionCheck {
  /** Whether submissions to the form need this check. Each completion asks: see `oncePerVersion`. */
  concerns(form: PublishedForm): boolean;
  /** Loads what the check needs to know about the submission. */
  load(executor: Executor, submissionUuid: string, form: PublishedForm): Promise<ValueCheck>;
}

/** Returns what is wrong with a value that is visible, is not blank and fits the type of its field. */
export type ValueCheck = (field: PublishedField, value: string) => FieldError | undefined;

const NONE: readonly ValueCheck[] = [];

/** Asks the checks. */
@Injectable()
export class CompletionChecks implements OnModuleInit {
  private checks: readonly CompletionCheck[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const providers = this.discovery.getProviders({ metadataKey: ChecksCompletion.KEY });
    this.checks = providers.map(({ instance }) => instance as CompletionCheck);
  }

  /** Loads the checks that the form needs. */
  async load(
    executor: Executor,
    submissionUuid: string,
    form: PublishedForm,
  ): Promise<readonly ValueCheck[]> {
    let loaded = NONE;
    for (const check of this.checks)
      if (check.concerns(form)) loaded = [...loaded, await check.load(executor, submissionUuid, form)];
    return loaded;
  }
}
