import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { isTimestamp } from './timestamp-checks.js';

/** The last successful backup. The backup job records the backup, and the service exports its time as a metric. */
@Entity('backups', {
  synchronize: false,
  comment: 'The last successful backup, in one row. The backup job writes it.',
})
@Check('backups_id_check', 'id = 1')
@Check('backups_taken_at_check', isTimestamp('taken_at'))
export class Backup {
  @PrimaryColumn({ type: 'integer', default: 1, comment: 'Always 1.' }) id!: number;

  @Column({
    ...{ name: 'taken_at', type: 'timestamptz', default: () => 'now()' },
    comment: 'When the backup began. It contains everything committed before.',
  })
  takenAt!: Date;
}
