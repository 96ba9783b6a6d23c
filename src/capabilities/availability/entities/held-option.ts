import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { OptionCount } from './option-count.js';

@Entity('held_options', {
  synchronize: false,
  comment:
    'The options with places that completed submissions hold, also after an option was renamed. Only triggers write it.',
})
@Index('held_options_option_id_idx', ['optionId'])
export class HeldOption {
  @PrimaryColumn({ name: 'submission_uuid', type: 'uuid', comment: 'The completed submission.' })
  submissionUuid!: string;

  @PrimaryColumn({ name: 'option_id', type: 'integer', comment: 'The option.' }) optionId!: number;

  @ManyToOne(() => OptionCount, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'option_id', foreignKeyConstraintName: 'held_options_option_id_fkey' })
  option!: Relation<OptionCount>;
}
