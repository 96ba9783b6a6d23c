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

/** The specification's "entity": a group of fields, filled in once or, if repeatable, several times. */
@Entity('entities', {
  synchronize: false,
  comment:
    'What a form asks about in a group of fields, once or (repeatable) several times, for example the expenses of a claim.',
})
@Unique('entities_id_form_id_key', ['id', 'formId'])
@Unique('entities_form_id_name_key', ['formId', 'name'], { deferrable: 'INITIALLY IMMEDIATE' })
@Check('entities_name_check', `name <> ''`)
@Check('entities_min_records_check', 'min_records between 0 and 200')
@Check('entities_max_records_check', 'max_records between 1 and 200')
@Check(
  'entities_records_check',
  'min_records <= max_records and (is_repeatable or (min_records <= 1 and max_records <= 1))',
)
export class EntityDefinition {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT', comment: 'Given by the database.' })
  id!: number;

  @Column({ name: 'form_id', type: 'integer', comment: 'The form that asks about it.' })
  formId!: number;

  @ManyToOne(() => Form, (form) => form.entities, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'entities_form_id_fkey' })
  form!: Relation<Form>;

  @Column({ type: 'varchar', length: 255, comment: 'Unique in the form; for programs.' })
  name!: string;

  @Column({ type: 'text', comment: 'For people.' })
  label!: string;

  @Column({
    name: 'is_repeatable',
    type: 'boolean',
    default: false,
    comment: 'Whether a submission may have several records of it.',
  })
  isRepeatable!: boolean;

  // R3
  @Column({
    name: 'min_records',
    type: 'integer',
    nullable: true,
    comment: 'Fewer are a mistake of strict completion; null: none are needed.',
  })
  minRecords!: number | null;

  @Column({
    name: 'max_records',
    type: 'integer',
    nullable: true,
    comment: 'More are refused; null: as many as a submission can have, 200 of all entities together.',
  })
  maxRecords!: number | null;

  @OneToMany(() => Field, (field) => field.entity)
  fields!: Relation<Field[]>;
}
