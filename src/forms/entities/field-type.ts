import { Check, Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity('field_types', { synchronize: false })
@Unique('field_types_name_key', ['name'])
@Check('field_types_name_check', `name <> ''`)
@Check('field_types_component_check', `component <> ''`)
export class FieldType {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  /** The element that a client renders; one that it does not know is rendered as a plain text input. */
  @Column({ type: 'varchar', length: 255 })
  component!: string;
}
