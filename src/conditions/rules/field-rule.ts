import type { Answer } from './answer.js';
import { isMet, type Test } from './operators.js';
import type { ExplainedState, FieldState, RuleCondition } from './vocabulary.js';

export interface CompiledCondition {
  readonly condition: RuleCondition;
  /** Where the field it depends on stands among the answers of an evaluation. */
  readonly source: number;
  readonly test: Test;
}

/** The conditions of one field. */
export interface FieldRule {
  readonly fieldId: number;
  /** Among the fields of the form. */
  readonly position: number;
  readonly byDefault: FieldState;
  readonly hasShow: boolean;
  readonly conditions: readonly CompiledCondition[];
}

export type Answers = readonly Answer[];

// Shared by all fields and all evaluations, so that a state costs no allocation.
export const HIDDEN: FieldState = Object.freeze({ visible: false, required: false });
export const OPTIONAL: FieldState = Object.freeze({ visible: true, required: false });
export const REQUIRED: FieldState = Object.freeze({ visible: true, required: true });

/** The specification's evaluation rules 2 to 5. */
export function resolve({ conditions, hasShow, byDefault }: FieldRule, answers: Answers): FieldState {
  let shown = !hasShow;
  // C6: a `require` that is not met leaves the schema default.
  let state = byDefault;
  for (const { condition, source, test } of conditions) {
    if (!isMet(test, answers[source])) continue;
    switch (condition.action) {
      case 'hide':
        return HIDDEN;
      case 'show':
        shown = true;
        break;
      case 'require':
        state = REQUIRED;
    }
  }
  return shown ? state : HIDDEN;
}

/** The state with every condition that is met. Rule 4: `require` is evaluated only while the field is visible. */
export function explain(rule: FieldRule, answers: Answers): ExplainedState {
  const state = resolve(rule, answers);
  const met = rule.conditions
    .filter(({ test, source }) => isMet(test, answers[source]))
    .map(({ condition }) => condition)
    .filter(({ action }) => state.visible || action !== 'require');
  return { ...state, met };
}
