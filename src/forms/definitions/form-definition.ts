import type { ConditionRow, EntityRow, FieldRow, WholeFormRow } from '../form.statements.js';

/** A form as a file has it: the shape of the schema response, with names in place of ids, and every key there. */
export interface FormDefinition extends Pick<
  WholeFormRow,
  'name' | 'slug' | 'description' | 'is_active' | 'completion'
> {
  /** Where editors find the JSON Schema of definitions; not stored. */
  readonly $schema?: string;
  /** Left out: a new form gets one, an existing one keeps its own. */
  readonly uuid?: string;
  /** Left out: none (J2). */
  readonly time_zone?: string;
  readonly entities: readonly DefinedEntity[];
  readonly steps: readonly DefinedStep[];
}

export interface DefinedEntity extends Pick<EntityRow, 'name' | 'label' | 'is_repeatable'> {
  readonly min_records?: number;
  readonly max_records?: number;
}

export interface DefinedStep extends Omit<WholeFormRow['steps'][number], 'id'> {
  readonly fields: readonly DefinedField[];
}

export interface DefinedField extends Omit<FieldRow, 'id' | 'step_id' | 'entity' | 'max_bytes' | 'accept'> {
  readonly max_bytes?: number;
  readonly accept?: string;
  /** The name of the entity that the field belongs to. */
  readonly entity?: string;
  readonly conditions: readonly DefinedCondition[];
}

export interface DefinedCondition extends Omit<ConditionRow, 'field_id' | 'depends_on_field_id' | 'group'> {
  readonly group?: number;
}

export interface LocatedField {
  readonly field: DefinedField;
  /** As in `steps[1].fields[3]`. */
  readonly path: string;
}

/** Those of all steps, in the order of the file. */
export function fieldsOf({ steps }: FormDefinition): LocatedField[] {
  return steps.flatMap(({ fields }, step) =>
    fields.map((field, index) => ({ field, path: `steps[${step}].fields[${index}]` })),
  );
}
