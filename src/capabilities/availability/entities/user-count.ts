import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { FormCount } from './form-count.js';

@Entity('user_counts', {
  synchronize: false,
  comment: 'How many submissions of a form with max_per_user a user has completed. Only triggers write it.',
})
@Index('user_counts_form_id_idx', ['formId'])
export class UserCount {
  @PrimaryColumn({ name: 'user_id', type: 'integer', comment: 'The user.' }) userId!: number;
  @PrimaryColumn({ name: 'form_id', type: 'integer', comment: 'The form.' }) formId!: number;

  @ManyToOne(() => FormCount, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'user_counts_form_id_fkey' })
  form!: Relation<FormCount>;

  @Column({
    ...{ type: 'integer' },
    comment: 'The number of completed submissions of the user, tests not counted.',
  })
  completed!: number;
}
