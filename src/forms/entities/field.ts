import {
  Check,
  Column,
  Entity,
  ForeignKey,
  Index,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryGeneratedColumn,
  type Relation,
  Unique,
} from 'typeorm';
import { Condition } from '../../conditions/entities/condition.js';
import { EntityDefinition } from './entity-definition.js';
import { FieldRule } from './field-rule.js';
import { FieldType } from './field-type.js';
import { Option } from './option.js';
import { Step } from './step.js';

/** An extension, or a media type, of which the second part may be any. */
const ACCEPTED = '([.][a-z0-9][a-z0-9.+_-]*|[a-z]+/([*]|[a-z0-9][a-z0-9.+_-]*))';

@Entity('fields', { synchronize: false })
// Together with the form, so that no field is of another form than its step or its entity.
@ForeignKey(() => Step, ['stepId', 'formId'], ['id', 'formId'], {
  name: 'fields_step_id_form_id_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => EntityDefinition, ['entityId', 'formId'], ['id', 'formId'], {
  name: 'fields_entity_id_form_id_fkey',
  deferrable: 'INITIALLY DEFERRED',
})
@Unique('fields_id_form_id_key', ['id', 'formId'])
@Unique('fields_id_form_id_is_repeatable_key', ['id', 'formId', 'isRepeatable'])
@Unique('fields_form_id_code_key', ['formId', 'code'], { deferrable: 'INITIALLY IMMEDIATE' })
@Check('fields_code_check', `code <> ''`)
@Check('fields_max_bytes_check', 'max_bytes between 1 and 26214400')
@Check('fields_accept_check', `accept ~ '^${ACCEPTED}(, ?${ACCEPTED})*$'`)
@Index('fields_step_id_idx', ['stepId'])
@Index('fields_entity_id_idx', ['entityId'])
export class Field {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  /** The form of the field's step; the database fills it in from the step where it is left out. */
  @Column({ name: 'form_id', type: 'integer' })
  formId!: number;

  @Column({ name: 'step_id', type: 'integer' })
  stepId!: number;

  @ManyToOne(() => Step, (step) => step.fields, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'step_id' })
  step!: Relation<Step>;

  @Column({ name: 'field_type_id', type: 'integer' })
  fieldTypeId!: number;

  @ManyToOne(() => FieldType)
  @JoinColumn({ name: 'field_type_id', foreignKeyConstraintName: 'fields_field_type_id_fkey' })
  fieldType!: Relation<FieldType>;

  @Column({ name: 'entity_id', type: 'integer', nullable: true })
  entityId!: number | null;

  @ManyToOne(() => EntityDefinition, (entity) => entity.fields, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'entity_id' })
  entity!: Relation<EntityDefinition> | null;

  /** Stable, snake_case, unique in the form. */
  @Column({ type: 'varchar', length: 255 })
  code!: string;

  @Column({ type: 'text' })
  label!: string;

  @Column({ type: 'text', nullable: true })
  placeholder!: string | null;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  /** The default; conditions may override it. */
  @Column({ name: 'is_required', type: 'boolean', default: false })
  isRequired!: boolean;

  /** Cannot change while values of the field are stored: it decides their key (V5). */
  @Column({ name: 'is_repeatable', type: 'boolean', default: false })
  isRepeatable!: boolean;

  @Column({ name: 'default_value', type: 'text', nullable: true })
  defaultValue!: string | null;

  /** Position within the step. */
  @Column({ type: 'integer', default: 0 })
  order!: number;

  /** What a file of the field may have at most, below 25 MiB (U5); null: that. */
  @Column({ name: 'max_bytes', type: 'integer', nullable: true })
  maxBytes!: number | null;

  /** What a file of the field may be, as HTML's `accept` has it: `application/pdf, image/*, .docx` (U5); null: anything. */
  @Column({ type: 'varchar', length: 1000, nullable: true })
  accept!: string | null;

  @OneToMany(() => Option, (option) => option.field)
  options!: Relation<Option[]>;

  @OneToMany(() => Condition, (condition) => condition.field)
  conditions!: Relation<Condition[]>;

  @OneToMany(() => FieldRule, (rule) => rule.field)
  rules!: Relation<FieldRule[]>;
}
