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
import { isTimestamp, isTimestampOrInfinity } from '../../database/entities/timestamp-checks.js';
import { User } from './user.js';

@Entity('api_tokens', {
  synchronize: false,
  comment: 'Access tokens; who sends one acts as its user. A change counts from the next request on.',
})
@Unique('api_tokens_token_hash_key', ['tokenHash'])
@Check('api_tokens_token_hash_check', 'octet_length(token_hash) = 32')
@Index('api_tokens_user_id_idx', ['userId'])
@Check('api_tokens_expires_at_check', isTimestampOrInfinity('expires_at'))
@Check('api_tokens_revoked_at_check', isTimestamp('revoked_at'))
@Check('api_tokens_created_at_check', isTimestamp('created_at'))
export class ApiToken {
  @PrimaryGeneratedColumn('identity', {
    generatedIdentity: 'BY DEFAULT',
    comment: 'Given by the database; by it a token is revoked.',
  })
  id!: number;

  @Column({ name: 'user_id', type: 'integer', comment: 'Whose token it is.' })
  userId!: number;

  @ManyToOne(() => User, (user) => user.tokens, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'api_tokens_user_id_fkey' })
  user!: Relation<User>;

  @Column({ type: 'varchar', length: 255, nullable: true, comment: 'What the token is for; null: not said.' })
  name!: string | null;

  // Only the hash is stored, so that reading the database reveals no usable token (A2).
  @Column({
    name: 'token_hash',
    type: 'bytea',
    comment: 'SHA-256 of the plain token, 32 bytes; the plain token is stored nowhere.',
  })
  tokenHash!: Buffer;

  @Column({
    name: 'expires_at',
    type: 'timestamptz',
    nullable: true,
    comment: 'From then on it is refused; null or infinity: never.',
  })
  expiresAt!: Date | null;

  // Every instance rejects the token from the next request on (A3).
  @Column({
    name: 'revoked_at',
    type: 'timestamptz',
    nullable: true,
    comment: 'Set once, when the token is revoked; null: it is not.',
  })
  revokedAt!: Date | null;

  @Column({
    name: 'created_at',
    type: 'timestamptz',
    default: () => 'now()',
    comment: 'When the token was issued.',
  })
  createdAt!: Date;
}
