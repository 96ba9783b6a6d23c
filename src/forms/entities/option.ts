import {
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type Relation,
  Unique,
} from 'typeorm';
import { Field } from './field.js';

@Entity('options', { synchronize: false })
@Unique('options_field_id_value_key', ['fieldId', 'value'], { deferrable: 'INITIALLY IMMEDIATE' })
export class Option {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column({ name: 'field_id', type: 'integer' })
  fieldId!: number;

  @ManyToOne(() => Field, (field) => field.options, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'field_id', foreignKeyConstraintName: 'options_field_id_fkey' })
  field!: Relation<Field>;

  @Column({ type: 'text' })
  label!: string;

  /** Unique in the field. */
  @Column({ type: 'text' })
  value!: string;

  /** Position within the field. */
  @Column({ type: 'integer', default: 0 })
  order!: number;
}
