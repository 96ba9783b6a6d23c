import {
  Check,
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryGeneratedColumn,
  type Relation,
  Unique,
} from 'typeorm';
import { Field } from './field.js';
import { Form } from './form.js';

@Entity('steps', { synchronize: false })
@Unique('steps_id_form_id_key', ['id', 'formId'])
@Unique('steps_form_id_step_number_key', ['formId', 'stepNumber'], { deferrable: 'INITIALLY IMMEDIATE' })
@Check('steps_step_number_check', 'step_number >= 1')
@Check('steps_meta_check', `jsonb_typeof(meta) = 'object'`)
export class Step {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column({ name: 'form_id', type: 'integer' })
  formId!: number;

  @ManyToOne(() => Form, (form) => form.steps, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'steps_form_id_fkey' })
  form!: Relation<Form>;

  /** From 1, unique in the form. */
  @Column({ name: 'step_number', type: 'integer' })
  stepNumber!: number;

  @Column({ type: 'varchar', length: 255 })
  title!: string;

  @Column({ type: 'text', default: '' })
  description!: string;

  @Column({ name: 'is_visible', type: 'boolean', default: true })
  isVisible!: boolean;

  /** A free-form object, for example an icon name. */
  @Column({ type: 'jsonb', nullable: true })
  meta!: Record<string, unknown> | null;

  @OneToMany(() => Field, (field) => field.step)
  fields!: Relation<Field[]>;
}
