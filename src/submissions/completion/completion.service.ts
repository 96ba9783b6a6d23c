import { Injectable } from '@nestjs/common';
import type { Executor } from '../../database/statement.js';
import { RULE_KINDS, type RuleKind } from '../../forms/entities/field-rule.js';
import { todayIn } from '../../forms/field-rules/today.js';
import type { PublishedForm } from '../../forms/published-form.js';
import type { FieldErrors } from '../../http/errors/problems.js';
import type { ValuesAndRecordsRow } from '../submission.rows.js';
import type { Owned } from '../submission-reference.decorator.js';
import { CompletionChecks } from './checks-completion.js';
import { completionErrors } from './completion-errors.js';

@Injectable()
export class CompletionService {
  /** Counts how often a check skipped a rule that cannot be applied, by kind (J5). */
  readonly rulesLeftOut = Object.fromEntries(RULE_KINDS.map((kind) => [kind, 0])) as Record<RuleKind, number>;

  constructor(private readonly checks: CompletionChecks) {}

  /** Returns the errors for which strict completion would reject these values now, in one step or in all steps. */
  async fieldErrors(
    executor: Executor,
    { uuid }: Pick<Owned, 'uuid'>,
    { form, submission }: { readonly form: PublishedForm; readonly submission: ValuesAndRecordsRow },
    stepNumber?: number,
  ): Promise<FieldErrors> {
    const checks = await this.checks.load(executor, uuid, form);
    return completionErrors(form, submission, {
      today: todayIn(form.timeZone),
      stepNumber,
      checks,
      onLeftOut: (kind) => {
        this.rulesLeftOut[kind] += 1;
      },
    });
  }
}
