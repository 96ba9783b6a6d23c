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
import { EntityRecord } from '../../submissions/entities/entity-record.js';
import { Submission } from '../../submissions/entities/submission.js';

export const FILE_STATES = ['pending', 'stored', 'clean', 'infected'] as const;
/** Announced, uploaded and verified, and what a scanner has found (U2, U6). */
export type FileState = (typeof FILE_STATES)[number];

/** What a value `file:<uuid>` stands for; its bytes are in the storage that `FILES_URL` names. */
@Entity('files', { synchronize: false })
@ForeignKey(() => Submission, ['formId', 'submissionUuid'], ['formId', 'uuid'], {
  name: 'files_form_id_submission_uuid_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => Field, ['fieldId', 'formId'], ['id', 'formId'], {
  name: 'files_field_id_form_id_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => EntityRecord, ['submissionUuid', 'entityRecordId'], ['submissionUuid', 'id'], {
  name: 'files_submission_uuid_entity_record_id_fkey',
  onDelete: 'CASCADE',
})
@Check('files_name_check', `name <> ''`)
@Check('files_size_check', 'size between 1 and 26214400')
@Check('files_sha256_check', 'octet_length(sha256) = 32')
@Check('files_state_check', `state in ('${FILE_STATES.join(`', '`)}')`)
@Index('files_submission_uuid_field_id_idx', ['submissionUuid', 'fieldId'])
@Index('files_field_id_idx', ['fieldId'])
@Index('files_expires_at_idx', ['expiresAt'], { where: 'expires_at is not null' })
@Index('files_scan_at_idx', ['scanAt'], { where: `state = 'stored'` })
export class File {
  /** Version 7; names its bytes in the storage too. */
  @PrimaryColumn({ type: 'uuid' })
  uuid!: string;

  @Column({ name: 'submission_uuid', type: 'uuid' })
  submissionUuid!: string;

  @Column({ name: 'form_id', type: 'integer' })
  formId!: number;

  @Column({ name: 'field_id', type: 'integer' })
  fieldId!: number;

  @Column({ name: 'entity_record_id', type: 'integer', nullable: true })
  entityRecordId!: number | null;

  /** As the client has it; never part of a path. */
  @Column({ type: 'varchar', length: 255 })
  name!: string;

  /** In bytes, 25 MiB at most (U5). */
  @Column({ type: 'integer' })
  size!: number;

  /** What the client says until the file is stored, then what its content says. */
  @Column({ name: 'media_type', type: 'varchar', length: 255 })
  mediaType!: string;

  @Column({ type: 'bytea' })
  sha256!: Buffer;

  @Column({ type: 'varchar', length: 20, default: 'pending' })
  state!: FileState;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  /** When it goes, unless a value holds it by then (U7); null: one did when that was looked at. */
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  /** When a stored one may be scanned next (U6). */
  @Column({ name: 'scan_at', type: 'timestamptz', default: () => 'now()' })
  scanAt!: Date;

  @ManyToOne(() => Submission, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'submission_uuid' })
  submission!: Relation<Submission>;
}
