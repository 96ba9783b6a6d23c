import type { Searches } from './searches.js';

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
  /** Whether it holds a value for each record. */
  readonly isRepeatable?: boolean;
  /** The name of its entity. */
  readonly entity?: string | undefined;
  readonly conditions: readonly RuleCondition[];
}

export interface RuleCondition {
  readonly dependsOnFieldId: number;
  readonly operator: Operator;
  readonly value: string;
  readonly action: Action;
  /** Those of one field with the same action and number are met together (C9); without one it is alone. */
  readonly group?: number | null;
}

/** An entry of a repeating group. */
export interface RuleRecord {
  readonly id: number;
  /** The name of its entity. */
  readonly entity: string;
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

export interface CompiledRules {
  /**
   * Searches long values for what `contains` conditions look for, before an evaluation that would take long without that. The caller
   * can pause between two steps. Undefined: there is little to search.
   */
  search(values: readonly StoredValue[]): Generator<undefined, Searches> | undefined;
  /** One state per field, in the order the fields were given. */
  resolveStates(values: readonly StoredValue[], searches?: Searches): FieldState[];
  explainStates(values: readonly StoredValue[], searches?: Searches): ExplainedState[];
  /**
   * By record, one state per field of its entity, in the order the fields were given (R6). Of the fields of that entity
   * which hold a value for each record, conditions look at those of this record only. A record is evaluated when it is taken, so
   * that the caller can pause between two.
   */
  resolveRecords(
    values: readonly StoredValue[],
    records: readonly RuleRecord[],
    searches?: Searches,
  ): RecordStates<FieldState>;
  explainRecords(
    values: readonly StoredValue[],
    records: readonly RuleRecord[],
    searches?: Searches,
  ): RecordStates<ExplainedState>;
}

export type RecordStates<State> = Iterable<[recordId: number, states: State[]]>;
