import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Form } from './form.js';

@Entity('deleted_steps', {
  synchronize: false,
  comment: 'The deleted steps of each form. Only the database writes it.',
})
@Index('deleted_steps_form_id_moved_to_idx', ['formId', 'movedTo'])
export class DeletedStep {
  @PrimaryColumn({ type: 'integer', comment: 'The id of the deleted step.' }) id!: number;
  @Column({ name: 'form_id', type: 'integer', comment: 'The form of the step.' }) formId!: number;

  @ManyToOne(() => Form, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'deleted_steps_form_id_fkey' })
  form!: Relation<Form>;

  @Column({
    ...{ name: 'moved_to', type: 'integer', nullable: true },
    comment:
      'The step on which its submissions are now: the one before it, or the first; null: the form had no other.',
  })
  movedTo!: number | null;
}
