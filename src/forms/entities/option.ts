import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { Field } from './field.js';

@Entity('options')
export class Option {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column({ name: 'field_id', type: 'integer' })
  fieldId!: number;

  @ManyToOne(() => Field, (field) => field.options, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'field_id' })
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
