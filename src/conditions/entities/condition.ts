import {
  Check,
  Column,
  Entity,
  ForeignKey,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { Field } from '../../forms/entities/field.js';
import { type Action, ACTIONS, type Operator, OPERATORS } from '../rules/vocabulary.js';

const list = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

/** Both fields are of the same form; the database refuses anything else. */
@Entity('conditions', { synchronize: false })
@ForeignKey(() => Field, ['fieldId', 'formId'], ['id', 'formId'], {
  name: 'conditions_field_id_form_id_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => Field, ['dependsOnFieldId', 'formId'], ['id', 'formId'], {
  name: 'conditions_depends_on_field_id_form_id_fkey',
  deferrable: 'INITIALLY DEFERRED',
})
@Check('conditions_operator_check', `operator in (${list(OPERATORS)})`)
@Check('conditions_action_check', `action in (${list(ACTIONS)})`)
@Index('conditions_field_id_idx', ['fieldId'])
@Index('conditions_depends_on_field_id_idx', ['dependsOnFieldId'])
export class Condition {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  /** The form of the field; the database fills it in from the field where it is left out. */
  @Column({ name: 'form_id', type: 'integer' })
  formId!: number;

  /** The field that is shown, hidden or required. */
  @Column({ name: 'field_id', type: 'integer' })
  fieldId!: number;

  @ManyToOne(() => Field, (field) => field.conditions, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'field_id' })
  field!: Relation<Field>;

  /** The field whose stored value is tested. */
  @Column({ name: 'depends_on_field_id', type: 'integer' })
  dependsOnFieldId!: number;

  @ManyToOne(() => Field, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'depends_on_field_id' })
  dependsOnField!: Relation<Field>;

  @Column({ type: 'varchar', length: 20 })
  operator!: Operator;

  @Column({ type: 'text', default: '' })
  value!: string;

  @Column({ type: 'varchar', length: 20 })
  action!: Action;

  /** Those of one field with the same action and number are met together; null: alone (C9). */
  @Column({ name: 'group_number', type: 'integer', nullable: true })
  groupNumber!: number | null;
}
