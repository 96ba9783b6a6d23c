import {
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
import { type Action, ACTIONS, type Operator, OPERATORS } from '../../rules/vocabulary.js';

/** Shows, hides or requires a field. The database rejects a condition on a field of another form. */
@Entity('conditions', {
  synchronize: false,
  comment:
    'When a field is shown, hidden or required, by the stored value of another field of the same form.',
})
@ForeignKey(() => Field, ['fieldId', 'formId'], ['id', 'formId'], {
  name: 'conditions_field_id_form_id_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => Field, ['dependsOnFieldId', 'formId'], ['id', 'formId'], {
  name: 'conditions_depends_on_field_id_form_id_fkey',
  deferrable: 'INITIALLY DEFERRED',
})
@Index('conditions_field_id_idx', ['fieldId'])
@Index('conditions_depends_on_field_id_idx', ['dependsOnFieldId'])
export class Condition {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT', comment: 'Given by the database.' })
  id!: number;

  @Column({
    name: 'form_id',
    type: 'integer',
    default: 0,
    comment: 'The form of both fields; 0 or null: the database fills it in.',
  })
  formId!: number;

  @Column({ name: 'field_id', type: 'integer', comment: 'The field that is shown, hidden or required.' })
  fieldId!: number;

  @ManyToOne(() => Field, (field) => field.conditions, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'field_id' })
  field!: Relation<Field>;

  @Column({
    name: 'depends_on_field_id',
    type: 'integer',
    comment: 'The field whose stored value is tested.',
  })
  dependsOnFieldId!: number;

  @ManyToOne(() => Field, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'depends_on_field_id' })
  dependsOnField!: Relation<Field>;

  @Column({ type: 'enum', enum: OPERATORS, enumName: 'condition_operator', comment: 'How it is tested.' })
  operator!: Operator;

  @Column({
    type: 'text',
    default: '',
    comment:
      'What it is compared with; a comma-separated list for in and not_in, empty for empty and not_empty.',
  })
  value!: string;

  @Column({
    type: 'enum',
    enum: ACTIONS,
    enumName: 'condition_action',
    comment: 'What becomes of the field where the condition is met.',
  })
  action!: Action;

  // C9
  @Column({
    name: 'group_number',
    type: 'integer',
    nullable: true,
    comment: 'Conditions of one field with the same action and number are met together; null: alone.',
  })
  groupNumber!: number | null;
}
