import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { EntityDefinition } from '../../forms/entities/entity-definition.js';
import { Submission } from './submission.js';

/** One occurrence of an entity in a submission, for example one expense of a claim. */
@Entity('entity_records')
export class EntityRecord {
  @PrimaryColumn({ name: 'submission_uuid', type: 'uuid' })
  submissionUuid!: string;

  /** Given by the database. */
  @PrimaryColumn({ type: 'integer', generated: 'identity', generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column({ name: 'form_id', type: 'integer' })
  formId!: number;

  @Column({ name: 'entity_id', type: 'integer' })
  entityId!: number;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @ManyToOne(() => Submission, (submission) => submission.entityRecords, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'submission_uuid' })
  submission!: Relation<Submission>;

  @ManyToOne(() => EntityDefinition)
  @JoinColumn({ name: 'entity_id' })
  entity!: Relation<EntityDefinition>;
}
