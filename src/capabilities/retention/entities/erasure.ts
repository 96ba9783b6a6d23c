import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isTimestamp } from '../../../database/entities/timestamp-checks.js';

export const ERASURE_KINDS = ['submission.deleted', 'submission.anonymized', 'user.erased'] as const;
export type ErasureKind = (typeof ERASURE_KINDS)[number];

/** Why submissions and users are deleted. */
export const ERASURE_REASONS = ['user', 'operator', 'retention', 'erasure', 'test', 'sql'] as const;
export type ErasureReason = (typeof ERASURE_REASONS)[number];

@Entity('erasures', {
  synchronize: false,
  comment:
    'Deleted submissions, deleted personal answers and erased users, without contents, to delete them again after a restore.',
})
@Check('erasures_kind_check', `kind in ('${ERASURE_KINDS.join(`', '`)}')`)
@Check('erasures_reason_check', `reason in ('${ERASURE_REASONS.join(`', '`)}')`)
@Check('erasures_happened_at_check', isTimestamp('happened_at'))
@Check(
  'erasures_kind_columns_check',
  `num_nonnulls(submission_uuid, user_id) = 1 and (user_id is not null) = (kind = 'user.erased')
      and (field_ids is not null) = (kind = 'submission.anonymized')`,
)
@Index('erasures_happened_at_idx', ['happenedAt'])
export class Erasure {
  @PrimaryColumn({
    ...{ type: 'uuid', default: () => 'gen_random_uuid()' },
    comment: 'The same in the file of "db erasures", so that it can be read twice.',
  })
  id!: string;

  @Column({ type: 'varchar', length: 30, comment: 'What was deleted.' })
  kind!: ErasureKind;

  @Column({
    ...{ name: 'happened_at', type: 'timestamptz', default: () => 'statement_timestamp()' },
    comment: 'When it was deleted.',
  })
  happenedAt!: Date;

  @Column({
    ...{ type: 'varchar', length: 20 },
    comment: 'Who or what caused it; sql: another program.',
  })
  reason!: ErasureReason;

  @Column({
    ...{ name: 'submission_uuid', type: 'uuid', nullable: true },
    comment: 'The submission; null for a user.',
  })
  submissionUuid!: string | null;

  @Column({
    ...{ name: 'user_id', type: 'integer', nullable: true },
    comment: 'The user; null for a submission.',
  })
  userId!: number | null;

  @Column({
    ...{ name: 'field_ids', type: 'integer', array: true, nullable: true },
    comment: 'The fields whose answers were deleted; null unless kind is submission.anonymized.',
  })
  fieldIds!: number[] | null;

  @Column({
    ...{ name: 'identity_hashes', type: 'bytea', array: true, nullable: true },
    comment:
      'SHA-256 of the issuer, a space and the subject of each identity of the user; null for a submission.',
  })
  identityHashes!: Buffer[] | null;
}
