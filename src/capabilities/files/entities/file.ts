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
import { isTimestamp } from '../../../database/entities/timestamp-checks.js';
import { Field } from '../../../forms/entities/field.js';
import { EntityRecord } from '../../../submissions/entities/entity-record.js';
import { RECORD_ID } from '../../../submissions/entities/record-id.js';
import { Submission } from '../../../submissions/entities/submission.js';

export const FILE_STATES = ['pending', 'stored', 'clean', 'infected'] as const;
/** `pending`: the upload was created. `stored`: uploaded and verified (U2). `clean` and `infected`: the result of the scanner (U6). */
export type FileState = (typeof FILE_STATES)[number];

/** A file. A value refers to the file as `file:<uuid>`. The content is in the storage at `FILES_URL`. */
@Entity('files', {
  synchronize: false,
  comment: 'Files that values refer to as file:<uuid>. Their bytes are in the storage that FILES_URL names.',
})
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
@Check('files_created_at_check', isTimestamp('created_at'))
@Check('files_expires_at_check', isTimestamp('expires_at'))
@Check('files_scan_at_check', isTimestamp('scan_at'))
export class File {
  @PrimaryColumn({ type: 'uuid', comment: 'Version 7. It also names the bytes in the storage.' })
  uuid!: string;

  @Column({
    ...{ name: 'submission_uuid', type: 'uuid' },
    comment: 'The submission that contains the file. The file is deleted together with it.',
  })
  submissionUuid!: string;

  @Column({ name: 'form_id', type: 'integer', comment: 'The form of the submission and of the field.' })
  formId!: number;

  @Column({ name: 'field_id', type: 'integer', comment: 'The field whose value may refer to the file.' })
  fieldId!: number;

  @Column({
    ...{ ...RECORD_ID, name: 'entity_record_id', nullable: true },
    comment: 'The record of that value, or null.',
  })
  entityRecordId!: number | null;

  @Column({ type: 'varchar', length: 255, comment: "The name on the client's device; never part of a path." })
  name!: string;

  @Column({ type: 'integer', comment: 'The size in bytes, at most 25 MiB.' }) size!: number;

  @Column({
    ...{ name: 'media_type', type: 'varchar', length: 255 },
    comment: 'The type that the client announced; once the file is stored, the type of its content.',
  })
  mediaType!: string;

  @Column({ type: 'bytea', comment: 'SHA-256 of the content, 32 bytes, verified before the file is stored.' })
  sha256!: Buffer;

  @Column({ type: 'varchar', length: 20, default: 'pending', comment: 'pending, stored, clean or infected.' })
  state!: FileState;

  @Column({
    ...{ name: 'created_at', type: 'timestamptz', default: () => 'now()' },
    comment: 'When the file was announced.',
  })
  createdAt!: Date;

  @Column({
    ...{ name: 'expires_at', type: 'timestamptz', nullable: true },
    comment:
      'When the file is deleted unless a value refers to it by then; null: a value referred to it at the last check.',
  })
  expiresAt!: Date | null;

  @Column({
    ...{ name: 'scan_at', type: 'timestamptz', default: () => 'now()' },
    comment: 'When the next scan of a stored file is due.',
  })
  scanAt!: Date;

  @ManyToOne(() => Submission, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'submission_uuid' })
  submission!: Relation<Submission>;
}
