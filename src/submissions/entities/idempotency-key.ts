import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { isTimestamp } from '../../database/entities/timestamp-checks.js';
import { User } from '../../auth/entities/user.js';

/** The response to a request with an `Idempotency-Key`, stored for 24 hours (S10). */
@Entity('idempotency_keys', {
  synchronize: false,
  comment: 'Stored responses to requests with an Idempotency-Key. Only the service writes it.',
})
@ForeignKey(() => User, ['userId'], ['id'], { name: 'idempotency_keys_user_id_fkey', onDelete: 'CASCADE' })
@Index('idempotency_keys_expires_at_idx', ['expiresAt'])
@Check('idempotency_keys_expires_at_check', isTimestamp('expires_at'))
export class IdempotencyKey {
  @PrimaryColumn({ name: 'user_id', type: 'integer', comment: 'The user who sent the request.' })
  userId!: number;

  @PrimaryColumn({ type: 'varchar', length: 255, comment: 'The Idempotency-Key of the request.' })
  key!: string;

  @Column({ name: 'request_hash', type: 'bytea', comment: 'SHA-256 of the operation and its parameters.' })
  requestHash!: Buffer;

  @Column({ type: 'json', comment: 'The response, as JSON.' }) answer!: unknown;

  @Column({
    ...{ name: 'expires_at', type: 'timestamptz' },
    comment: 'When the response is deleted, 24 hours after the request.',
  })
  expiresAt!: Date;
}
