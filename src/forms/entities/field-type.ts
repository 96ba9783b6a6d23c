import { Check, Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity('field_types', { synchronize: false, comment: 'What kinds of fields there are.' })
@Unique('field_types_name_key', ['name'])
@Check('field_types_name_check', `name <> ''`)
@Check('field_types_component_check', `component <> ''`)
export class FieldType {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT', comment: 'Given by the database.' })
  id!: number;

  @Column({ type: 'varchar', length: 255, comment: 'Unique, such as text.' })
  name!: string;

  @Column({
    type: 'varchar',
    length: 255,
    comment:
      'The element that clients render, such as text-input; one that they do not know is rendered as a plain text input.',
  })
  component!: string;
}
