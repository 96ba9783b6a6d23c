import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isTimestamp } from '../../../database/entities/timestamp-checks.js';

/** Written by triggers only. */
@Entity('ended_identities', {
  synchronize: false,
  comment:
    'Deleted rows of user_identities, so that tokens from before the deletion do not create the user again. Rows are deleted after two days.',
})
@Index('ended_identities_ended_at_idx', ['endedAt'])
@Check('ended_identities_identity_hash_check', 'octet_length(identity_hash) = 32')
@Check('ended_identities_ended_at_check', isTimestamp('ended_at'))
export class EndedIdentity {
  @PrimaryColumn({
    ...{ name: 'identity_hash', type: 'bytea' },
    comment: 'SHA-256 of the issuer, a space and the subject, 32 bytes.',
  })
  identityHash!: Buffer;

  @Column({
    ...{ name: 'ended_at', type: 'timestamptz' },
    comment: 'When the identity was deleted. Tokens that were issued before are rejected.',
  })
  endedAt!: Date;
}
