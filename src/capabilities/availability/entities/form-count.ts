import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Form } from '../../../forms/entities/form.js';

@Entity('form_counts', {
  synchronize: false,
  comment:
    'How many submissions of a form with a limit are completed. Completions of the form wait for the row. Only triggers write it.',
})
export class FormCount {
  @PrimaryColumn({
    ...{ name: 'form_id', type: 'integer' },
    comment: 'A form with a limit, or with an option that has one.',
  })
  formId!: number;

  @OneToOne(() => Form, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'form_counts_form_id_fkey' })
  form!: Relation<Form>;

  @Column({ type: 'integer', comment: 'The number of completed submissions, tests not counted.' })
  completed!: number;
}
