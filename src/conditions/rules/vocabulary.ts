export const OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'greater_than',
  'less_than',
  'in',
  'not_in',
  'empty',
  'not_empty',
] as const;
export type Operator = (typeof OPERATORS)[number];

export const ACTIONS = ['show', 'hide', 'require'] as const;
export type Action = (typeof ACTIONS)[number];

/** Whether the value of a hidden field counts for the conditions of others (C5). */
export const HIDDEN_VALUES = ['keep', 'ignore'] as const;
export type HiddenValues = (typeof HIDDEN_VALUES)[number];

export interface RuleField {
  readonly id: number;
  readonly isRequired: boolean;
  readonly conditions: readonly RuleCondition[];
}

export interface RuleCondition {
  readonly dependsOnFieldId: number;
  readonly operator: Operator;
  readonly value: string;
  readonly action: Action;
}

/** A field may have several, in any order. */
export type StoredValue = readonly [fieldId: number, entityRecordId: number | null, value: string];

export interface FieldState {
  readonly visible: boolean;
  readonly required: boolean;
}

export interface ExplainedState extends FieldState {
  /** The conditions of the field that are met, in their order. */
  readonly met: readonly RuleCondition[];
}

/** One state per field, in the order the fields were given. */
export interface CompiledRules {
  resolveStates(values: readonly StoredValue[]): FieldState[];
  explainStates(values: readonly StoredValue[]): ExplainedState[];
}
