import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isTimestamp } from '../../../database/entities/timestamp-checks.js';

@Entity('spent_proofs', {
  synchronize: false,
  comment: 'Proofs of work that were used. A row is deleted after the proof has expired.',
})
@Index('spent_proofs_expires_at_idx', ['expiresAt'])
@Check('spent_proofs_challenge_hash_check', 'octet_length(challenge_hash) = 32')
@Check('spent_proofs_expires_at_check', isTimestamp('expires_at'))
export class SpentProof {
  @PrimaryColumn({ name: 'challenge_hash', type: 'bytea', comment: 'The challenge of the proof, 32 bytes.' })
  challengeHash!: Buffer;

  @Column({ name: 'expires_at', type: 'timestamptz', comment: 'When the challenge expires.' })
  expiresAt!: Date;
}
