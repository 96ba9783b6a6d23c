import { Check, Column, Entity, Index, OneToMany, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { isTimestamp } from '../../database/entities/timestamp-checks.js';
import { ApiToken } from './api-token.js';

@Entity('users', {
  synchronize: false,
  comment: 'People who have access tokens; each submission belongs to one of them.',
})
// On lower(email), which TypeORM cannot express.
@Index('users_email_key', { synchronize: false })
@Check('users_email_check', `email <> ''`)
@Check('users_created_at_check', isTimestamp('created_at'))
export class User {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT', comment: 'Given by the database.' })
  id!: number;

  @Column({ type: 'varchar', length: 255, comment: 'Unique whatever its letter case.' })
  email!: string;

  @Column({
    name: 'created_at',
    type: 'timestamptz',
    default: () => 'now()',
    comment: 'When the user was made.',
  })
  createdAt!: Date;

  @OneToMany(() => ApiToken, (token) => token.user)
  tokens!: Relation<ApiToken[]>;
}
