import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Field } from '../../forms/entities/field.js';
import { Submission } from './submission.js';

@Entity('submission_values')
export class SubmissionValue {
  @PrimaryColumn({ name: 'submission_uuid', type: 'uuid' })
  submissionUuid!: string;

  @PrimaryColumn({ name: 'field_id', type: 'integer' })
  fieldId!: number;

  /** Made by the database: 0, or the record of a repeatable field's value (V5). */
  @PrimaryColumn({ name: 'record_key', type: 'integer', insert: false, update: false })
  recordKey!: number;

  @Column({ name: 'form_id', type: 'integer' })
  formId!: number;

  /** The field's own `is_repeatable`; a foreign key keeps the two equal. */
  @Column({ name: 'is_repeatable', type: 'boolean' })
  isRepeatable!: boolean;

  @Column({ name: 'entity_record_id', type: 'integer', nullable: true })
  entityRecordId!: number | null;

  /** At most 65,535 characters (V9); `""` counts as no value (V4). */
  @Column({ type: 'text' })
  value!: string;

  @ManyToOne(() => Submission, (submission) => submission.values, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'submission_uuid' })
  submission!: Relation<Submission>;

  @ManyToOne(() => Field)
  @JoinColumn({ name: 'field_id' })
  field!: Relation<Field>;
}
