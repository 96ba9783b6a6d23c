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
import { RECORD_ID } from './record-id.js';
import { Submission } from './submission.js';

@Entity('submission_values', {
  synchronize: false,
  comment: 'What a submission holds for its fields. Written by the service alone.',
})
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
  @PrimaryColumn({ name: 'submission_uuid', type: 'uuid', comment: 'The submission that holds it.' })
  submissionUuid!: string;

  @PrimaryColumn({ name: 'field_id', type: 'integer', comment: 'The field that it answers.' })
  fieldId!: number;

  // V5
  @PrimaryColumn({
    ...RECORD_ID,
    name: 'record_key',
    insert: false,
    update: false,
    comment: "Made by the database: 0, or the record of a repeatable field's value.",
  })
  recordKey!: number;

  @Column({ name: 'form_id', type: 'integer', comment: 'The form of the submission and of the field.' })
  formId!: number;

  @Column({
    name: 'is_repeatable',
    type: 'boolean',
    comment: "The field's own is_repeatable; a foreign key keeps the two equal.",
  })
  isRepeatable!: boolean;

  @Column({
    ...RECORD_ID,
    name: 'entity_record_id',
    nullable: true,
    comment: 'The record that it belongs to, or null.',
  })
  entityRecordId!: number | null;

  // V4, V9
  @Column({ type: 'text', comment: 'At most 65535 characters; an empty text counts as no value.' })
  value!: string;

  @ManyToOne(() => Submission, (submission) => submission.values, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'submission_uuid' })
  submission!: Relation<Submission>;

  @ManyToOne(() => Field, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'field_id' })
  field!: Relation<Field>;
}
