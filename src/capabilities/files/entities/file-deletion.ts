import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isTimestamp } from '../../../database/entities/timestamp-checks.js';

/** A job that deletes the content of a file from the storage, because the file was deleted or is infected (U3, U6). */
@Entity('file_deletions', {
  synchronize: false,
  comment: 'A queue of stored bytes to delete, because their file is deleted or infected.',
})
@Index('file_deletions_due_at_idx', ['dueAt'])
@Check('file_deletions_due_at_check', isTimestamp('due_at'))
@Check('file_deletions_until_check', isTimestamp('until'))
export class FileDeletion {
  @PrimaryColumn({ type: 'uuid', comment: 'The UUID of the file.' }) uuid!: string;

  @Column({
    ...{ name: 'submission_uuid', type: 'uuid', nullable: true },
    comment: 'The submission of the file, for the log; null: not known.',
  })
  submissionUuid!: string | null;

  @Column({
    ...{ name: 'due_at', type: 'timestamptz', default: () => 'now()' },
    comment: 'When the next attempt is due.',
  })
  dueAt!: Date;

  @Column({
    type: 'timestamptz',
    comment: 'When the last deletion is due. No upload can be under way after this time.',
  })
  until!: Date;
}
