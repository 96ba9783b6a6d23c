import { Injectable } from '@nestjs/common';
import { RULE_KINDS, type RuleKind } from '../../forms/entities/field-rule.js';
import { todayIn } from '../../forms/field-rules/today.js';
import type { PublishedForm } from '../../forms/published-form.js';
import type { FieldErrors } from '../../http/errors/problems.js';
import type { ValuesAndRecordsRow } from '../submission.statements.js';
import type { KnownFiles } from '../../capabilities/files/file-values.service.js';
import { completionErrors } from './completion-errors.js';

@Injectable()
export class CompletionService {
  /** Counts how often a check skipped a rule that cannot be applied, by kind (J5). */
  readonly rulesLeftOut = Object.fromEntries(RULE_KINDS.map((kind) => [kind, 0])) as Record<RuleKind, number>;

  /** Returns the errors for which strict completion would reject these values now, in one step or in all steps. */
  fieldErrors(
    form: PublishedForm,
    stored: ValuesAndRecordsRow,
    files: KnownFiles | undefined,
    stepNumber?: number,
  ): Promise<FieldErrors> {
    return completionErrors(form, stored, {
      today: todayIn(form.timeZone),
      stepNumber,
      files,
      onLeftOut: (kind) => {
        this.rulesLeftOut[kind] += 1;
      },
    });
  }
}
