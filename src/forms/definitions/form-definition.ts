import type { Action, Operator } from '../../conditions/rules/index.js';

/** A form as a file has it: the shape of the schema response, with names in place of ids, and every key there. */
export interface FormDefinition {
  /** Where editors find the JSON Schema of definitions; not stored. */
  readonly $schema?: string;
  /** Left out: a new form gets one, an existing one keeps its own. */
  readonly uuid?: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly is_active: boolean;
  readonly entities: readonly DefinedEntity[];
  readonly steps: readonly DefinedStep[];
}

export interface DefinedEntity {
  readonly name: string;
  readonly label: string;
  readonly is_repeatable: boolean;
}

export interface DefinedStep {
  readonly step_number: number;
  readonly title: string;
  readonly description: string;
  readonly is_visible: boolean;
  readonly meta: Record<string, unknown> | null;
  readonly fields: readonly DefinedField[];
}

export interface DefinedField {
  readonly code: string;
  readonly label: string;
  readonly placeholder: string | null;
  readonly description: string | null;
  readonly is_required: boolean;
  readonly is_repeatable: boolean;
  readonly default_value: string | null;
  readonly order: number;
  readonly field_type: { readonly name: string; readonly component: string };
  /** The name of the entity that the field belongs to. */
  readonly entity?: string;
  readonly options: readonly DefinedOption[];
  readonly conditions: readonly DefinedCondition[];
}

export interface DefinedOption {
  readonly label: string;
  readonly value: string;
  readonly order: number;
}

export interface DefinedCondition {
  readonly depends_on_field_code: string;
  readonly operator: Operator;
  readonly value: string;
  readonly action: Action;
}
