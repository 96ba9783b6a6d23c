import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { isTimestamp } from '../../database/entities/timestamp-checks.js';
import { User } from '../../auth/entities/user.js';

/** The response to a request with an `Idempotency-Key`, stored for 24 hours (S10). */
@Entity('idempotency_keys', {
  synchronize: false,
  comment:
    'Responses to requests that carried an Idempotency-Key, for whoever sends one again. Written by the service alone.',
})
@ForeignKey(() => User, ['userId'], ['id'], { name: 'idempotency_keys_user_id_fkey', onDelete: 'CASCADE' })
@Index('idempotency_keys_expires_at_idx', ['expiresAt'])
@Check('idempotency_keys_expires_at_check', isTimestamp('expires_at'))
export class IdempotencyKey {
  @PrimaryColumn({ name: 'user_id', type: 'integer', comment: 'Who sent the request.' })
  userId!: number;

  @PrimaryColumn({ type: 'varchar', length: 255, comment: 'What the client sent.' })
  key!: string;

  @Column({ name: 'request_hash', type: 'bytea', comment: 'SHA-256 of the operation and what it was asked.' })
  requestHash!: Buffer;

  @Column({ type: 'json', comment: 'What the service answered, as JSON.' })
  answer!: unknown;

  @Column({
    name: 'expires_at',
    type: 'timestamptz',
    comment: 'From then on it is forgotten, 24 hours after the request.',
  })
  expiresAt!: Date;
}
