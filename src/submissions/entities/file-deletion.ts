import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isTimestamp } from '../../database/entities/timestamp-checks.js';

/** A job that deletes the bytes of a file from the storage, because the file was deleted or is infected (U3, U6). */
@Entity('file_deletions', {
  synchronize: false,
  comment: 'Bytes that are to be deleted from the storage: of files that are gone, or infected.',
})
@Index('file_deletions_due_at_idx', ['dueAt'])
@Check('file_deletions_due_at_check', isTimestamp('due_at'))
@Check('file_deletions_until_check', isTimestamp('until'))
export class FileDeletion {
  @PrimaryColumn({ type: 'uuid', comment: 'Of the file.' })
  uuid!: string;

  @Column({
    name: 'submission_uuid',
    type: 'uuid',
    nullable: true,
    comment: 'Of the submission that had the file, for the log; null: queued by an older version.',
  })
  submissionUuid!: string | null;

  @Column({ name: 'due_at', type: 'timestamptz', default: () => 'now()', comment: 'When it is tried next.' })
  dueAt!: Date;

  @Column({
    type: 'timestamptz',
    comment: 'When it is done for the last time: by then nobody can still be uploading.',
  })
  until!: Date;
}
