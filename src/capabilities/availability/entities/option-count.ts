import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Option } from '../../../forms/entities/option.js';

@Entity('option_counts', {
  synchronize: false,
  comment: 'How many completed submissions hold an option with places. Only triggers write it.',
})
@Index('option_counts_form_id_idx', ['formId'])
export class OptionCount {
  @PrimaryColumn({ name: 'option_id', type: 'integer', comment: 'The option.' }) optionId!: number;

  @OneToOne(() => Option, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'option_id', foreignKeyConstraintName: 'option_counts_option_id_fkey' })
  option!: Relation<Option>;

  @Column({ name: 'form_id', type: 'integer', comment: 'The form of the option.' }) formId!: number;

  @Column({ type: 'integer', comment: 'The number of completed submissions that hold the option.' })
  taken!: number;
}
