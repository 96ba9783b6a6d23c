import { Injectable } from '@nestjs/common';
import { RULE_KINDS, type RuleKind } from '../../forms/entities/field-rule.js';
import { todayIn } from '../../forms/field-rules/today.js';
import type { PublishedForm } from '../../forms/published-form.js';
import type { FieldErrors } from '../../http/errors/problems.js';
import type { ValuesAndRecordsRow } from '../submission.statements.js';
import type { KnownFiles } from '../values/file-values.service.js';
import { completionErrors } from './completion-errors.js';

@Injectable()
export class CompletionService {
  /** How often a rule that cannot be applied was left out, by kind (J5). */
  readonly rulesLeftOut = Object.fromEntries(RULE_KINDS.map((kind) => [kind, 0])) as Record<RuleKind, number>;

  /** What completion under the strict policy refuses at this moment: in the fields of one step, or in all. */
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
      leftOut: (kind) => {
        this.rulesLeftOut[kind] += 1;
      },
    });
  }
}
