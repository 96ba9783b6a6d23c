import type { FieldValues } from './field-values.js';
import { isMet, type Test } from './operators.js';
import type { Action, ExplainedState, FieldState, RuleCondition } from './vocabulary.js';

export interface CompiledCondition {
  readonly condition: RuleCondition;
  /** The index of the field that it depends on in {@link ValuesByField}. */
  readonly source: number;
  readonly test: Test;
}

/** Conditions that are met together (C9); most have one. */
export interface ConditionGroup {
  readonly action: Action;
  readonly conditions: readonly CompiledCondition[];
}

/** The conditions of one field. */
export interface FieldRule {
  readonly fieldId: number;
  /** Among the fields of the form. */
  readonly position: number;
  /** Of the field; undefined: none. */
  readonly entity: string | undefined;
  readonly byDefault: FieldState;
  readonly hasShow: boolean;
  readonly groups: readonly ConditionGroup[];
}

export type ValuesByField = readonly FieldValues[];

// Shared by all fields and all evaluations, so that a state costs no allocation.
export const HIDDEN: FieldState = Object.freeze({ visible: false, required: false });
export const OPTIONAL: FieldState = Object.freeze({ visible: true, required: false });
export const REQUIRED: FieldState = Object.freeze({ visible: true, required: true });

/** The specification's evaluation rules 2 to 5. */
export function resolve({ groups, hasShow, byDefault }: FieldRule, values: ValuesByField): FieldState {
  let shown = !hasShow;
  // C6: a `require` that is not met leaves the schema default.
  let state = byDefault;
  for (const group of groups) {
    if (!areMet(group, values)) continue;
    switch (group.action) {
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
export function explain(rule: FieldRule, values: ValuesByField): ExplainedState {
  const state = resolve(rule, values);
  const met = rule.groups
    .filter((group) => areMet(group, values) && (state.visible || group.action !== 'require'))
    .flatMap(({ conditions }) => conditions.map(({ condition }) => condition));
  return { ...state, met };
}

function areMet({ conditions }: ConditionGroup, values: ValuesByField): boolean {
  for (const { test, source } of conditions) if (!isMet(test, values[source])) return false;
  return true;
}
