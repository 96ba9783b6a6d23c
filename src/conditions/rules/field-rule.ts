import { Answer } from './answer.js';
import type { Test } from './operators.js';
import type { ExplainedState, FieldState, RuleCondition } from './vocabulary.js';

export interface CompiledCondition {
  readonly condition: RuleCondition;
  /** Where the field it depends on stands among the answers of an evaluation. */
  readonly source: number;
  readonly test: Test;
}

/** The conditions of one field, by their action. */
export interface FieldRule {
  readonly fieldId: number;
  /** Among the fields of the form. */
  readonly position: number;
  readonly byDefault: FieldState;
  readonly conditions: readonly CompiledCondition[];
  readonly hide: readonly CompiledCondition[];
  readonly show: readonly CompiledCondition[];
  readonly require: readonly CompiledCondition[];
}

export type Answers = readonly Answer[];

// Shared by all fields and all evaluations, so that a state costs no allocation.
const HIDDEN: FieldState = Object.freeze({ visible: false, required: false });
export const OPTIONAL: FieldState = Object.freeze({ visible: true, required: false });
export const REQUIRED: FieldState = Object.freeze({ visible: true, required: true });

/** The specification's evaluation rules 2 and 3. */
export function isVisible({ hide, show }: FieldRule, answers: Answers): boolean {
  return !anyMet(hide, answers) && (show.length === 0 || anyMet(show, answers));
}

/** The specification's evaluation rules 2 to 5. */
export function resolve(rule: FieldRule, answers: Answers): FieldState {
  if (!isVisible(rule, answers)) return HIDDEN;
  // C6: a `require` that is not met leaves the schema default.
  return anyMet(rule.require, answers) ? REQUIRED : rule.byDefault;
}

/** The state with every condition that is met. Rule 4: `require` is evaluated only while the field is visible. */
export function explain(rule: FieldRule, answers: Answers): ExplainedState {
  const state = resolve(rule, answers);
  const met = rule.conditions
    .filter((compiled) => isMet(compiled, answers))
    .map(({ condition }) => condition)
    .filter(({ action }) => state.visible || action !== 'require');
  return { ...state, met };
}

function anyMet(conditions: readonly CompiledCondition[], answers: Answers): boolean {
  return conditions.some((compiled) => isMet(compiled, answers));
}

function isMet({ source, test }: CompiledCondition, answers: Answers): boolean {
  return test(answers[source] ?? Answer.NONE);
}
