import { Column, Entity, OneToMany, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { ApiToken } from './api-token.js';

@Entity('users')
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
