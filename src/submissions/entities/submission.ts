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
import { isTimestamp } from '../../database/entities/timestamp-checks.js';
import { User } from '../../auth/entities/user.js';
import { Form } from '../../forms/entities/form.js';
import { EntityRecord } from './entity-record.js';
import { SubmissionValue } from './submission-value.js';

export const STATUSES = ['draft', 'completed'] as const;
export type Status = (typeof STATUSES)[number];

@Entity('submissions', {
  synchronize: false,
  comment: 'What somebody fills in, or has. Written by the service alone.',
})
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
@Check('submissions_created_at_check', isTimestamp('created_at'))
@Check('submissions_updated_at_check', isTimestamp('updated_at'))
export class Submission {
  @PrimaryColumn({
    type: 'uuid',
    comment: 'Given by the service; version 7, which sorts by time of creation.',
  })
  uuid!: string;

  @Column({ name: 'form_id', type: 'integer', comment: 'The form that is filled in.' })
  formId!: number;

  @ManyToOne(() => Form)
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'submissions_form_id_fkey' })
  form!: Relation<Form>;

  // S1
  @Column({ name: 'user_id', type: 'integer', comment: 'Whose token created it; nobody else can reach it.' })
  userId!: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'submissions_user_id_fkey' })
  user!: Relation<User>;

  @Column({
    type: 'varchar',
    length: 20,
    enum: STATUSES,
    default: 'draft',
    comment: 'draft, or completed, which is final.',
  })
  status!: Status;

  @Column({
    name: 'current_step',
    type: 'integer',
    default: 1,
    comment: "Position among the form's steps in the order of their numbers, from 1.",
  })
  currentStep!: number;

  // V9
  @Column({
    type: 'json',
    nullable: true,
    comment: 'Whatever object the client sent, at most 16 KiB; or null.',
  })
  meta!: Record<string, unknown> | null;

  // V9
  @Column({
    name: 'value_count',
    type: 'integer',
    nullable: true,
    default: 0,
    comment: 'At least as many values as are stored. Null: not counted yet.',
  })
  valueCount!: number | null;

  // V9
  @Column({
    name: 'value_bytes',
    type: 'integer',
    nullable: true,
    default: 0,
    comment: 'At least as many bytes as the stored values have. Null: not counted yet.',
  })
  valueBytes!: number | null;

  @Column({
    name: 'created_at',
    type: 'timestamptz',
    default: () => 'now()',
    comment: 'When the draft was begun.',
  })
  createdAt!: Date;

  // S6
  @Column({
    name: 'updated_at',
    type: 'timestamptz',
    default: () => 'now()',
    comment: 'Moves with every accepted write, storing values included; never twice the same.',
  })
  updatedAt!: Date;

  @OneToMany(() => SubmissionValue, (value) => value.submission)
  values!: Relation<SubmissionValue[]>;

  @OneToMany(() => EntityRecord, (record) => record.submission)
  entityRecords!: Relation<EntityRecord[]>;
}
