import {
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { Field } from './field.js';
import { Form } from './form.js';

/** The specification's "entity": something that a form asks about, once or (repeatable) several times. */
@Entity('entities')
export class EntityDefinition {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column({ name: 'form_id', type: 'integer' })
  formId!: number;

  @ManyToOne(() => Form, (form) => form.entities, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'form_id' })
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
