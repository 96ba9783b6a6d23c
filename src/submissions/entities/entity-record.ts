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
import { isTimestamp } from '../../database/entities/timestamp-checks.js';
import { EntityDefinition } from '../../forms/entities/entity-definition.js';
import { RECORD_ID } from './record-id.js';
import { Submission } from './submission.js';

/** One occurrence of an entity in a submission, for example one expense of a claim. */
@Entity('entity_records', {
  synchronize: false,
  comment: 'Occurrences of an entity in a submission, for example one expense of a claim.',
})
@ForeignKey(() => Submission, ['formId', 'submissionUuid'], ['formId', 'uuid'], {
  name: 'entity_records_form_id_submission_uuid_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => EntityDefinition, ['entityId', 'formId'], ['id', 'formId'], {
  name: 'entity_records_entity_id_form_id_fkey',
})
@Index('entity_records_entity_id_idx', ['entityId'])
@Check('entity_records_created_at_check', isTimestamp('created_at'))
export class EntityRecord {
  @PrimaryColumn({ name: 'submission_uuid', type: 'uuid', comment: 'The submission that has it.' })
  submissionUuid!: string;

  @PrimaryColumn({
    ...RECORD_ID,
    generated: 'identity',
    generatedIdentity: 'BY DEFAULT',
    comment: 'Given by the database.',
  })
  id!: number;

  @Column({ name: 'form_id', type: 'integer', comment: 'The form of the submission and of the entity.' })
  formId!: number;

  @Column({ name: 'entity_id', type: 'integer', comment: 'What it is a record of.' })
  entityId!: number;

  @Column({
    name: 'created_at',
    type: 'timestamptz',
    default: () => 'now()',
    comment: 'When the record was added.',
  })
  createdAt!: Date;

  @ManyToOne(() => Submission, (submission) => submission.entityRecords, {
    createForeignKeyConstraints: false,
  })
  @JoinColumn({ name: 'submission_uuid' })
  submission!: Relation<Submission>;

  @ManyToOne(() => EntityDefinition, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'entity_id' })
  entity!: Relation<EntityDefinition>;
}
