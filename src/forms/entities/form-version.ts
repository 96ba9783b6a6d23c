import { Check, Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { isTimestamp } from '../../database/entities/timestamp-checks.js';
import { Form } from './form.js';

@Entity('form_versions', {
  synchronize: false,
  comment:
    'The schema of each version of a form in which a submission was completed. Only the service writes it.',
})
@Check('form_versions_changed_at_check', isTimestamp('changed_at'))
export class FormVersion {
  @PrimaryColumn({
    ...{ name: 'form_id', type: 'integer', primaryKeyConstraintName: 'form_versions_pkey' },
    comment: 'The form.',
  })
  formId!: number;

  @ManyToOne(() => Form, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'form_versions_form_id_fkey' })
  form!: Relation<Form>;

  @PrimaryColumn({
    ...{ type: 'integer', primaryKeyConstraintName: 'form_versions_pkey' },
    comment: 'The version of the form.',
  })
  version!: number;

  @Column({ type: 'json', comment: 'The response to GET /forms/{uuid}/schema, as it was.' }) schema!: object;

  @Column({
    ...{ name: 'changed_by', type: 'varchar', length: 255, nullable: true },
    comment: 'Who made the version: forms.updated_by of that time.',
  })
  changedBy!: string | null;

  @Column({
    ...{ name: 'changed_at', type: 'timestamptz' },
    comment: 'When the version was made: forms.updated_at of that time.',
  })
  changedAt!: Date;
}
