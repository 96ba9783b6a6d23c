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

/** The specification's "entity": something that a form asks about, once or (repeatable) several times. */
@Entity('entities', { synchronize: false })
@Unique('entities_id_form_id_key', ['id', 'formId'])
@Unique('entities_form_id_name_key', ['formId', 'name'], { deferrable: 'INITIALLY IMMEDIATE' })
@Check('entities_name_check', `name <> ''`)
export class EntityDefinition {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column({ name: 'form_id', type: 'integer' })
  formId!: number;

  @ManyToOne(() => Form, (form) => form.entities, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'entities_form_id_fkey' })
  form!: Relation<Form>;

  /** Unique in the form. */
  @Column({ type: 'varchar', length: 255 })
  name!: string;

  @Column({ type: 'text' })
  label!: string;

  @Column({ name: 'is_repeatable', type: 'boolean', default: false })
  isRepeatable!: boolean;

  @OneToMany(() => Field, (field) => field.entity)
  fields!: Relation<Field[]>;
}
