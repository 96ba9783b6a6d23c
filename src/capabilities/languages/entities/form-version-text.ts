import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { FormVersion } from '../../../forms/entities/form-version.js';

@Entity('form_version_texts', {
  synchronize: false,
  comment: 'The texts of the versions in form_versions in further languages. Only the service writes it.',
})
@ForeignKey(() => FormVersion, ['formId', 'version'], ['formId', 'version'], {
  name: 'form_version_texts_form_id_version_fkey',
  onDelete: 'CASCADE',
})
export class FormVersionText {
  @PrimaryColumn({ name: 'form_id', type: 'integer', comment: 'The form.' }) formId!: number;

  @PrimaryColumn({ type: 'integer', comment: 'The version of the form.' }) version!: number;

  @PrimaryColumn({ type: 'varchar', length: 35, comment: 'The language of the texts.' }) locale!: string;

  @Column({
    type: 'text',
    comment: 'A line of JSON for each text: where it stands in the schema, its key, and the text.',
  })
  texts!: string;
}
