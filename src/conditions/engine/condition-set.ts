import type { FieldValues } from './field-values.js';
import { type Comparison, isComparisonMet, isMet, type Test } from './operators.js';
import type { Action, ExplainedState, FieldState, EngineCondition, EngineContainer } from './vocabulary.js';

export interface CompiledCondition {
  readonly condition: EngineCondition;
  /** The index in {@link ValuesByField} of the field that the condition depends on. */
  readonly source: number;
  readonly test: Test;
  /** Replaces `test` if the condition compares with the answer to another field. */
  readonly comparison: OtherAnswer | undefined;
}

interface OtherAnswer extends Comparison {
  /** The index in {@link ValuesByField} of the other field. */
  readonly source: number;
}

/** Conditions that count only if all of them are met (C9). Most groups have one condition. */
export interface ConditionGroup {
  readonly action: Action;
  readonly conditions: readonly CompiledCondition[];
}

export interface ConditionSet {
  readonly byDefault: FieldState;
  readonly hasShow: boolean;
  readonly groups: readonly ConditionGroup[];
}

export interface FieldConditions extends ConditionSet {
  readonly fieldId: number;
  readonly position: number;
  readonly entity: string | undefined;
}

export interface ContainerConditions extends ConditionSet {
  readonly container: EngineContainer;
  readonly positions: readonly number[];
  /** The indexes in {@link ValuesByField} of those of its fields that conditions depend on. */
  readonly sources: readonly number[];
}

export type ValuesByField = readonly FieldValues[];

// Shared by all fields and evaluations, so that resolving a state allocates nothing.
export const HIDDEN: FieldState = Object.freeze({ visible: false, required: false });
export const OPTIONAL: FieldState = Object.freeze({ visible: true, required: false });
export const REQUIRED: FieldState = Object.freeze({ visible: true, required: true });

/** The indexes in {@link ValuesByField} of the fields whose values decide whether a group is met. */
export const sourcesOf = ({ conditions }: ConditionGroup): number[] =>
  conditions.flatMap(({ source, comparison }) =>
    comparison === undefined ? [source] : [source, comparison.source],
  );

/** Combines the conditions of a field, step or entity into its state (C5, C6, C9, C11). */
export function resolve({ groups, hasShow, byDefault }: ConditionSet, values: ValuesByField): FieldState {
  let shown = !hasShow;
  // A `require` condition that is not met does not make a required field optional (C6).
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

/** Adds the conditions that are met. A hidden field has no `require` conditions among them (evaluation rule 4). */
export function explain(rule: ConditionSet, values: ValuesByField): ExplainedState {
  const state = resolve(rule, values);
  const met = rule.groups
    .filter((group) => areMet(group, values) && (state.visible || group.action !== 'require'))
    .flatMap(({ conditions }) => conditions.map(({ condition }) => condition));
  return { ...state, met };
}

/** Returns a function that hides a field of the step or entity, with the reason. */
export function explainHidden(
  rule: ContainerConditions,
  values: ValuesByField,
): (state: ExplainedState) => ExplainedState {
  const hidden = { container: rule.container, because: reasonsToHide(rule, values) };
  return ({ met, hiddenBy = [] }) => ({
    ...HIDDEN,
    met: met.filter(({ action }) => action !== 'require'),
    hiddenBy: [...hiddenBy, hidden],
  });
}

function reasonsToHide({ groups }: ConditionSet, values: ValuesByField): EngineCondition[] {
  const hiding = groups.filter((group) => group.action === 'hide' && areMet(group, values));
  const reasons = hiding.length > 0 ? hiding : groups.filter(({ action }) => action === 'show');
  return reasons.flatMap(({ conditions }) => conditions.map(({ condition }) => condition));
}

function areMet({ conditions }: ConditionGroup, values: ValuesByField): boolean {
  for (const { test, source, comparison } of conditions) {
    const areSo =
      comparison === undefined
        ? isMet(test, values[source])
        : isComparisonMet(comparison, values[source], values[comparison.source]);
    if (!areSo) return false;
  }
  return true;
}
