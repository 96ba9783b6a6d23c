import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type Relation,
  Unique,
} from 'typeorm';
import { User } from './user.js';

@Entity('api_tokens', { synchronize: false })
@Unique('api_tokens_token_hash_key', ['tokenHash'])
@Check('api_tokens_token_hash_check', 'octet_length(token_hash) = 32')
@Index('api_tokens_user_id_idx', ['userId'])
export class ApiToken {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column({ name: 'user_id', type: 'integer' })
  userId!: number;

  @ManyToOne(() => User, (user) => user.tokens, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'api_tokens_user_id_fkey' })
  user!: Relation<User>;

  @Column({ type: 'varchar', length: 255, nullable: true })
  name!: string | null;

  /** SHA-256 of the plain token, 32 bytes; the plain token is stored nowhere (A2). */
  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash!: Buffer;

  /** Null: never. */
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  /** Set once, when the token is revoked. */
  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;
}
