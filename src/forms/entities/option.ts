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

@Entity('options', {
  synchronize: false,
  comment: 'What a select, a radio group or a group of checkboxes offers.',
})
@Unique('options_field_id_value_key', ['fieldId', 'value'], { deferrable: 'INITIALLY IMMEDIATE' })
export class Option {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT', comment: 'Given by the database.' })
  id!: number;

  @Column({ name: 'field_id', type: 'integer', comment: 'The field that offers it.' })
  fieldId!: number;

  @ManyToOne(() => Field, (field) => field.options, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'field_id', foreignKeyConstraintName: 'options_field_id_fkey' })
  field!: Relation<Field>;

  @Column({ type: 'text', comment: 'For people.' })
  label!: string;

  @Column({ type: 'text', comment: 'What is stored where it is chosen; unique in the field.' })
  value!: string;

  @Column({ type: 'integer', default: 0, comment: 'Position within the field; need not be unique.' })
  order!: number;
}
