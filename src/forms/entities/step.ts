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

@Entity('steps', { synchronize: false, comment: 'Steps of a form, one page each.' })
@Unique('steps_id_form_id_key', ['id', 'formId'])
@Unique('steps_form_id_step_number_key', ['formId', 'stepNumber'], { deferrable: 'INITIALLY IMMEDIATE' })
@Check('steps_step_number_check', 'step_number >= 1')
@Check('steps_meta_check', `jsonb_typeof(meta) = 'object'`)
export class Step {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT', comment: 'Given by the database.' })
  id!: number;

  @Column({ name: 'form_id', type: 'integer', comment: 'The form that it is a step of.' })
  formId!: number;

  @ManyToOne(() => Form, (form) => form.steps, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'steps_form_id_fkey' })
  form!: Relation<Form>;

  @Column({
    name: 'step_number',
    type: 'integer',
    comment: 'From 1, unique in the form; steps come in this order.',
  })
  stepNumber!: number;

  @Column({ type: 'varchar', length: 255, comment: 'The heading of the step.' })
  title!: string;

  @Column({ type: 'text', default: '', comment: 'Shown below the title; may be empty.' })
  description!: string;

  @Column({
    name: 'is_visible',
    type: 'boolean',
    default: true,
    comment: 'For clients; a step that is not visible counts all the same.',
  })
  isVisible!: boolean;

  @Column({
    type: 'jsonb',
    nullable: true,
    comment: 'A free-form object for clients, for example with the name of an icon; or null.',
  })
  meta!: Record<string, unknown> | null;

  @OneToMany(() => Field, (field) => field.step)
  fields!: Relation<Field[]>;
}
