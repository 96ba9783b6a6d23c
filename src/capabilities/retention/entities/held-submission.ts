import { Entity, PrimaryColumn } from 'typeorm';

@Entity('held_submissions', {
  synchronize: false,
  comment: 'The submissions whose column held is true. Only triggers write it.',
})
export class HeldSubmission {
  @PrimaryColumn({ name: 'submission_uuid', type: 'uuid', comment: 'The submission.' })
  submissionUuid!: string;
}
