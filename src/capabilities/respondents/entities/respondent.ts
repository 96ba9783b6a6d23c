import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  OneToOne,
  PrimaryColumn,
  type Relation,
} from 'typeorm';
import { User } from '../../../auth/entities/user.js';
import { isTimestamp } from '../../../database/entities/timestamp-checks.js';
import { Form } from '../../../forms/entities/form.js';

@Entity('respondents', {
  synchronize: false,
  comment: 'Users of one browser and one public form, or of a preview. Deleting a row deletes the user.',
})
@Index('respondents_form_id_idx', ['formId'])
@Index('respondents_previews_idx', ['createdAt'], { where: 'is_preview' })
@Check('respondents_created_at_check', isTimestamp('created_at'))
export class Respondent {
  @PrimaryColumn({ name: 'user_id', type: 'integer', comment: 'The user, who has no email address.' })
  userId!: number;

  @OneToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'respondents_user_id_fkey' })
  user!: Relation<User>;

  @Column({
    ...{ name: 'form_id', type: 'integer' },
    comment: 'The only form of which the respondent may begin submissions.',
  })
  formId!: number;

  @ManyToOne(() => Form, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'respondents_form_id_fkey' })
  form!: Relation<Form>;

  @Column({
    ...{ name: 'is_preview', type: 'boolean', default: false },
    comment: 'True: may begin submissions of an inactive form, which are tests.',
  })
  isPreview!: boolean;

  @Column({
    ...{ name: 'created_at', type: 'timestamptz', default: () => 'now()' },
    comment: 'When the respondent was created. Their tokens expire 180 days later at the latest.',
  })
  createdAt!: Date;
}
