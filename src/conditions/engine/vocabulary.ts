import type { ChoicesIn } from './choices.js';
import type { Formula } from './formula.js';
import type { Operator } from './operators.js';
import type { Searches } from './searches.js';

export type { ChoicesIn } from './choices.js';
export { OPERATORS, type Operator } from './operators.js';

export const ACTIONS = ['show', 'hide', 'require'] as const;
export type Action = (typeof ACTIONS)[number];

/** Whether the value of a hidden field counts for the conditions of other fields (C5). */
export const HIDDEN_VALUES = ['keep', 'ignore'] as const;
export type HiddenValues = (typeof HIDDEN_VALUES)[number];

export interface EngineField {
  readonly id: number;
  /** Formulas name the field by its code. */
  readonly code?: string;
  readonly isRequired: boolean;
  /** Whether the field holds a value for each record. */
  readonly isRepeatable?: boolean;
  readonly entity?: string | undefined;
  /** How its value is computed (K1). Undefined: clients store it. */
  readonly computed?: Formula | undefined;
  readonly conditions: readonly EngineCondition[];
  /** The step and the entity of the field, if they have conditions. */
  readonly containers?: readonly EngineContainer[];
}

/** A step or an entity with conditions. While it is hidden, all of its fields are hidden (C11). */
export interface EngineContainer {
  /** `show` and `hide` only. */
  readonly conditions: readonly EngineCondition[];
}

export interface EngineCondition {
  readonly dependsOnFieldId: number;
  readonly operator: Operator;
  readonly value: string;
  /** The field whose answer the condition compares with, instead of `value` (C17). */
  readonly valueFieldId?: number | null;
  /** Reads the choices in a value of the tested field, for `includes` and `not_includes`. */
  readonly choicesIn?: ChoicesIn;
  readonly action: Action;
  /** Conditions of a field with the same action and group count only if all of them are met (C9). Null: the condition is alone. */
  readonly group?: number | null;
  /** Whether the tested field, or the field that it is compared with, is retired. The condition is then never met (N6, C17). */
  readonly testsRetired?: boolean;
}

export interface EngineRecord {
  readonly id: number;
  readonly entity: string;
}

/** A field may have several stored values, in any order. */
export type StoredValue = readonly [fieldId: number, entityRecordId: number | null, value: string];

export interface FieldState {
  readonly visible: boolean;
  readonly required: boolean;
}

export interface ExplainedState extends FieldState {
  /** The conditions of the field that are met, in the order of its conditions. */
  readonly met: readonly EngineCondition[];
  /** The step and the entity that hide the field. Omitted if neither does. */
  readonly hiddenBy?: readonly HiddenContainer[];
}

export interface HiddenContainer {
  readonly container: EngineContainer;
  /** The `hide` conditions that are met, or else the `show` conditions, because none of them is met. */
  readonly because: readonly EngineCondition[];
}

export interface CompiledConditions {
  /** Undefined if the form computes no values. The other functions expect values with the computed ones. */
  readonly computed: ComputedValues | undefined;
  /** Whether any condition can hide a field. If not, every field is visible for all values. */
  readonly canHide: boolean;
  /**
   * Executes the searches of conditions before an evaluation. Each step is short, so the caller can pause between two
   * steps. Returns undefined if there is too little to search.
   */
  search(values: readonly StoredValue[]): Generator<undefined, Searches> | undefined;
  /** Returns a state for each field, in the order of the compiled fields. */
  resolveStates(values: readonly StoredValue[], searches?: Searches): FieldState[];
  /** Yields after each part of the work, so that the caller can pause. */
  explainStates(values: readonly StoredValue[], searches?: Searches): Generator<undefined, ExplainedState[]>;
  /** Returns the steps and entities that their conditions hide. All values of a repeatable field count (C7). */
  hiddenContainers(values: readonly StoredValue[], searches?: Searches): ReadonlySet<EngineContainer>;
  /**
   * Returns, for each record, a state for each field of its entity, in the order of the compiled fields (R6). For repeatable
   * fields of that entity, conditions of fields test only the values of this record. Conditions of steps and entities test all
   * values, as in `resolveStates`. A record is evaluated when the iterator reaches it, so the caller can pause between two
   * records.
   */
  resolveRecords(
    values: readonly StoredValue[],
    records: readonly EngineRecord[],
    searches?: Searches,
  ): RecordStates<FieldState>;
  explainRecords(
    values: readonly StoredValue[],
    records: readonly EngineRecord[],
    searches?: Searches,
  ): RecordStates<ExplainedState>;
}

/** The computed fields of a form. */
export interface ComputedValues {
  readonly fieldIds: ReadonlySet<number>;
  /** Whether a formula uses the date of today. */
  readonly usesToday: boolean;
  /**
   * Returns the values with the computed ones at the end, in place of any that were stored. Yields after each part of the work, so
   * that the caller can pause.
   */
  compute(
    values: readonly StoredValue[],
    records: readonly EngineRecord[],
    searches?: Searches,
    onComputed?: OnComputed,
  ): Generator<undefined, StoredValue[]>;
}

/** Called with each computed value, and the answers that it was computed from. Each has the id of its field, and texts that are not blank. */
export type OnComputed = (
  computed: StoredValue,
  operands: readonly (readonly [fieldId: number, texts: readonly string[]])[],
) => void;

export type RecordStates<State> = Iterable<[recordId: number, states: State[]]>;
