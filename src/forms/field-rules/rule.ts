import type { FieldError } from '../../http/errors/problems.js';
import type { RuleKind } from '../entities/rule-kinds.js';

/** A rule of a field. It has a value, or names another field (J9). */
export interface Rule {
  readonly kind: RuleKind;
  readonly value: string | null;
  readonly otherFieldId: number | null;
  readonly otherFieldCode: string | null;
  /** Days that are added to the date of the other field. */
  readonly offsetDays: number | null;
  readonly message: string | null;
}

/** The part of a rule that decides whether the rule can be applied. A rule without a value names another field. */
export type RuleWithBound = Pick<Rule, 'kind' | 'message'> & { readonly value?: string | null };

/** A rule that breaks with an error. */
export interface ErrorOfRule extends Pick<Rule, 'kind' | 'message' | 'otherFieldCode'> {
  /** The error for a value that breaks the rule. `message` replaces the default text unless it is null. */
  readonly errorOf: (code: string, message: string | null, value: string) => FieldError;
}

export interface CompiledRule extends ErrorOfRule {
  readonly isMet: (value: string) => boolean;
}
