import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('option_counts', {
  synchronize: false,
  comment: 'How many completed submissions hold an option with places. Only triggers write it.',
})
@Index('option_counts_form_id_idx', ['formId'])
export class OptionCount {
  @PrimaryColumn({ name: 'option_id', type: 'integer', comment: 'The option.' }) optionId!: number;

  @Column({ name: 'form_id', type: 'integer', comment: 'The form of the option.' }) formId!: number;

  @Column({ type: 'integer', comment: 'The number of completed submissions that hold the option.' })
  taken!: number;
}
