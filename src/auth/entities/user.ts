import { Check, Column, Entity, Index, OneToMany, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { ApiToken } from './api-token.js';

@Entity('users', { synchronize: false })
// On lower(email), which cannot be said here.
@Index('users_email_key', { synchronize: false })
@Check('users_email_check', `email <> ''`)
export class User {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  /** Unique whatever its letter case. */
  @Column({ type: 'varchar', length: 255 })
  email!: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @OneToMany(() => ApiToken, (token) => token.user)
  tokens!: Relation<ApiToken[]>;
}
