import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { Field } from '../../forms/entities/field.js';
import type { Action, Operator } from '../rules/index.js';

/** Both fields are of the same form; the database refuses anything else. */
@Entity('conditions')
export class Condition {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  /** The form of the field; the database fills it in from the field where it is left out. */
  @Column({ name: 'form_id', type: 'integer' })
  formId!: number;

  /** The field that is shown, hidden or required. */
  @Column({ name: 'field_id', type: 'integer' })
  fieldId!: number;

  @ManyToOne(() => Field, (field) => field.conditions, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'field_id' })
  field!: Relation<Field>;

  /** The field whose stored value is tested. */
  @Column({ name: 'depends_on_field_id', type: 'integer' })
  dependsOnFieldId!: number;

  @ManyToOne(() => Field)
  @JoinColumn({ name: 'depends_on_field_id' })
  dependsOnField!: Relation<Field>;

  @Column({ type: 'varchar', length: 20 })
  operator!: Operator;

  @Column({ type: 'text', default: '' })
  value!: string;

  @Column({ type: 'varchar', length: 20 })
  action!: Action;
}
