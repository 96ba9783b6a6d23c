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

/** An extension such as `.pdf`, or a media type such as `application/pdf` or `image/*`. */
const ACCEPTED = '([.][a-z0-9][a-z0-9.+_-]*|[a-z]+/([*]|[a-z0-9][a-z0-9.+_-]*))';

@Entity('fields', { synchronize: false, comment: 'Questions of a step, and what it only displays.' })
// The key includes the form, so that a field, its step and its entity belong to the same form.
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
  @PrimaryGeneratedColumn('identity', {
    generatedIdentity: 'BY DEFAULT',
    comment: 'Given by the database; clients name the field by it or by its code.',
  })
  id!: number;

  @Column({
    name: 'form_id',
    type: 'integer',
    default: 0,
    comment: "The form of the field's step; 0 or null: the database fills it in.",
  })
  formId!: number;

  @Column({ name: 'step_id', type: 'integer', comment: 'The step that shows the field.' })
  stepId!: number;

  @ManyToOne(() => Step, (step) => step.fields, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'step_id' })
  step!: Relation<Step>;

  @Column({ name: 'field_type_id', type: 'integer', comment: 'What kind of field it is.' })
  fieldTypeId!: number;

  @ManyToOne(() => FieldType)
  @JoinColumn({ name: 'field_type_id', foreignKeyConstraintName: 'fields_field_type_id_fkey' })
  fieldType!: Relation<FieldType>;

  @Column({
    name: 'entity_id',
    type: 'integer',
    nullable: true,
    comment: 'The entity of the same form that the field belongs to, or null.',
  })
  entityId!: number | null;

  @ManyToOne(() => EntityDefinition, (entity) => entity.fields, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'entity_id' })
  entity!: Relation<EntityDefinition> | null;

  @Column({
    type: 'varchar',
    length: 255,
    comment: 'Stable name for programs, snake_case, unique in the form.',
  })
  code!: string;

  @Column({ type: 'text', comment: 'The question, for people.' })
  label!: string;

  @Column({ type: 'text', nullable: true, comment: 'Shown in the empty field, or null.' })
  placeholder!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'Shown with the label, or null.' })
  description!: string | null;

  @Column({
    name: 'is_required',
    type: 'boolean',
    default: false,
    comment: 'Whether a value is required unless conditions say otherwise.',
  })
  isRequired!: boolean;

  // V5
  @Column({
    name: 'is_repeatable',
    type: 'boolean',
    default: false,
    comment: 'Whether it holds a value for each record of its entity; cannot change while values are stored.',
  })
  isRepeatable!: boolean;

  @Column({
    name: 'default_value',
    type: 'text',
    nullable: true,
    comment: 'What clients begin with, or null; never stored by the service.',
  })
  defaultValue!: string | null;

  @Column({ type: 'integer', default: 0, comment: 'Position within the step; need not be unique.' })
  order!: number;

  @Column({
    name: 'max_bytes',
    type: 'integer',
    nullable: true,
    comment: 'What a file of the field may have at most, in bytes; null: 25 MiB.',
  })
  maxBytes!: number | null;

  @Column({
    type: 'varchar',
    length: 1000,
    nullable: true,
    comment: 'What a file of the field may be, as the accept attribute of HTML has it; null: anything.',
  })
  accept!: string | null;

  @OneToMany(() => Option, (option) => option.field)
  options!: Relation<Option[]>;

  @OneToMany(() => Condition, (condition) => condition.field)
  conditions!: Relation<Condition[]>;

  @OneToMany(() => FieldRule, (rule) => rule.field)
  rules!: Relation<FieldRule[]>;
}
