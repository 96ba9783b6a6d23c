import {
  Check,
  Column,
  Entity,
  ForeignKey,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation,
} from 'typeorm';
import { Field } from '../../forms/entities/field.js';
import { EntityRecord } from './entity-record.js';
import { Submission } from './submission.js';

@Entity('submission_values', { synchronize: false })
@ForeignKey(() => Submission, ['formId', 'submissionUuid'], ['formId', 'uuid'], {
  name: 'submission_values_form_id_submission_uuid_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => Field, ['fieldId', 'formId', 'isRepeatable'], ['id', 'formId', 'isRepeatable'], {
  name: 'submission_values_field_id_form_id_is_repeatable_fkey',
})
@ForeignKey(() => EntityRecord, ['submissionUuid', 'entityRecordId'], ['submissionUuid', 'id'], {
  name: 'submission_values_submission_uuid_entity_record_id_fkey',
  onDelete: 'CASCADE',
})
@Check('submission_values_value_check', 'char_length(value) <= 65535')
@Index('submission_values_field_id_idx', ['fieldId'])
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

  @ManyToOne(() => Submission, (submission) => submission.values, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'submission_uuid' })
  submission!: Relation<Submission>;

  @ManyToOne(() => Field, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'field_id' })
  field!: Relation<Field>;
}
