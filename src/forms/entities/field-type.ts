import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('field_types')
export class FieldType {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column({ type: 'varchar', length: 255, unique: true })
  name!: string;

  /** The element that a client renders; one that it does not know is rendered as a plain text input. */
  @Column({ type: 'varchar', length: 255 })
  component!: string;
}
