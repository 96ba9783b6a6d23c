import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Bytes that are to be deleted from the storage: of a file whose row is gone, or that is infected (U3, U6). */
@Entity('file_deletions', {
  synchronize: false,
  comment: 'Bytes that are to be deleted from the storage: of files that are gone, or infected.',
})
@Index('file_deletions_due_at_idx', ['dueAt'])
export class FileDeletion {
  @PrimaryColumn({ type: 'uuid', comment: 'Of the file.' })
  uuid!: string;

  @Column({ name: 'due_at', type: 'timestamptz', default: () => 'now()', comment: 'When it is tried next.' })
  dueAt!: Date;

  @Column({
    type: 'timestamptz',
    comment: 'When it is done for the last time: by then nobody can still be uploading.',
  })
  until!: Date;
}
