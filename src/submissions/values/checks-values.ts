import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Executor } from '../../database/statement.js';
import type { FieldErrors } from '../../http/errors/problems.js';
import type { FieldValue } from './value-entries.js';

/** Marks a provider that is a {@link ValuesCheck}. */
export const ChecksValues = DiscoveryService.createDecorator();

/** Decides whether values may be stored. */
export interface ValuesCheck {
  /** Whether any entry needs this check. Each call asks, so look at the entries only. */
  concerns(entries: readonly FieldValue[]): boolean;
  /** Checks the entries in the transaction that stores them, when the submission is locked. The keys are like `values.0.value`. */
  fieldErrors(
    executor: Executor,
    submissionUuid: string,
    entries: readonly FieldValue[],
  ): Promise<FieldErrors>;
}

const NONE: readonly ValuesCheck[] = [];

/** Asks the checks. */
@Injectable()
export class ValuesChecks implements OnModuleInit {
  private checks = NONE;

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const providers = this.discovery.getProviders({ metadataKey: ChecksValues.KEY });
    this.checks = providers.map(({ instance }) => instance as ValuesCheck);
  }

  /** Returns the checks that the entries need. Without any, the values are stored without a transaction. */
  of(entries: readonly FieldValue[]): readonly ValuesCheck[] {
    let concerned = NONE;
    for (const check of this.checks) if (check.concerns(entries)) concerned = [...concerned, check];
    return concerned;
  }
}
