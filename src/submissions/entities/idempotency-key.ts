import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../auth/entities/user.js';

/** The answer to a request that carried an `Idempotency-Key`, remembered for 24 hours (S10). */
@Entity('idempotency_keys', { synchronize: false })
@ForeignKey(() => User, ['userId'], ['id'], { name: 'idempotency_keys_user_id_fkey', onDelete: 'CASCADE' })
@Index('idempotency_keys_expires_at_idx', ['expiresAt'])
export class IdempotencyKey {
  @PrimaryColumn({ name: 'user_id', type: 'integer' })
  userId!: number;

  @PrimaryColumn({ type: 'varchar', length: 255 })
  key!: string;

  /** SHA-256 of the operation and what it was asked. */
  @Column({ name: 'request_hash', type: 'bytea' })
  requestHash!: Buffer;

  /** What the service answered, as JSON. */
  @Column({ type: 'json' })
  answer!: unknown;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt!: Date;
}
