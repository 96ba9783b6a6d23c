import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Bytes that are to be deleted from the storage: of a file whose row is gone, or that is infected (U3, U6). */
@Entity('file_deletions', { synchronize: false })
@Index('file_deletions_due_at_idx', ['dueAt'])
export class FileDeletion {
  /** Of the file. */
  @PrimaryColumn({ type: 'uuid' })
  uuid!: string;

  /** When it is tried next. */
  @Column({ name: 'due_at', type: 'timestamptz', default: () => 'now()' })
  dueAt!: Date;

  /** When it is done for the last time: by then nobody can still be uploading. */
  @Column({ type: 'timestamptz' })
  until!: Date;
}
