import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  type Relation,
  Unique,
} from 'typeorm';
import { User } from '../../auth/entities/user.js';
import { Form } from '../../forms/entities/form.js';
import { EntityRecord } from './entity-record.js';
import { SubmissionValue } from './submission-value.js';

export const STATUSES = ['draft', 'completed'] as const;
export type Status = (typeof STATUSES)[number];

@Entity('submissions', { synchronize: false })
@Unique('submissions_form_id_uuid_key', ['formId', 'uuid'])
@Index('submissions_user_id_status_created_at_uuid_form_id_idx', [
  'userId',
  'status',
  'createdAt',
  'uuid',
  'formId',
])
@Check('submissions_status_check', `status in ('${STATUSES.join(`', '`)}')`)
@Check('submissions_current_step_check', 'current_step >= 1')
@Check('submissions_meta_check', `json_typeof(meta) = 'object'`)
export class Submission {
  /** Version 7: sorts by time of creation. */
  @PrimaryColumn({ type: 'uuid' })
  uuid!: string;

  @Column({ name: 'form_id', type: 'integer' })
  formId!: number;

  @ManyToOne(() => Form)
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'submissions_form_id_fkey' })
  form!: Relation<Form>;

  /** Whose token created it (S1). */
  @Column({ name: 'user_id', type: 'integer' })
  userId!: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'submissions_user_id_fkey' })
  user!: Relation<User>;

  @Column({ type: 'varchar', length: 20, default: 'draft' })
  status!: Status;

  /** Position among the form's steps in `step_number` order, from 1. */
  @Column({ name: 'current_step', type: 'integer', default: 1 })
  currentStep!: number;

  /** Whatever object the client sent, at most 16 KiB (V9). */
  @Column({ type: 'json', nullable: true })
  meta!: Record<string, unknown> | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  /** Moves with every accepted write, storing values included (S6); never twice the same. */
  @Column({ name: 'updated_at', type: 'timestamptz', default: () => 'now()' })
  updatedAt!: Date;

  @OneToMany(() => SubmissionValue, (value) => value.submission)
  values!: Relation<SubmissionValue[]>;

  @OneToMany(() => EntityRecord, (record) => record.submission)
  entityRecords!: Relation<EntityRecord[]>;
}
