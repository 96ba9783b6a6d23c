import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isTimestamp } from '../../../database/entities/timestamp-checks.js';
import type { WebhookEvent } from './webhook-endpoint.js';

/** A webhook for one endpoint (W1). The relay creates the row from an event. A successful delivery deletes the row. */
@Entity('webhook_deliveries', {
  synchronize: false,
  comment: 'Pending deliveries to endpoints. A row is deleted when its delivery succeeds.',
})
@Index('webhook_deliveries_created_at_idx', ['createdAt'], { where: 'next_attempt_at is not null' })
@Index('webhook_deliveries_endpoint_id_next_attempt_at_idx', ['endpointId', 'nextAttemptAt'], {
  where: 'next_attempt_at is not null',
})
@Index('webhook_deliveries_submission_uuid_idx', ['submissionUuid'])
@Check('webhook_deliveries_next_attempt_at_check', isTimestamp('next_attempt_at'))
@Check('webhook_deliveries_created_at_check', isTimestamp('created_at'))
export class WebhookDelivery {
  @PrimaryColumn({
    ...{ type: 'uuid', default: () => 'gen_random_uuid()' },
    comment: 'The webhook-id, the same in all attempts.',
  })
  id!: string;

  @Column({ name: 'endpoint_id', type: 'integer', comment: 'The endpoint, which may have been deleted.' })
  endpointId!: number;

  @Column({ type: 'text', comment: 'The type of the event.' }) event!: WebhookEvent;

  @Column({ name: 'submission_uuid', type: 'uuid', comment: 'The submission, which may have been deleted.' })
  submissionUuid!: string;

  @Column({
    ...{ name: 'user_id', type: 'integer', nullable: true },
    comment:
      'The user of the submission, who may have been deleted; null: written before the database kept it.',
  })
  userId!: number | null;

  @Column({ type: 'text', comment: 'The JSON body that is sent.' }) body!: string;

  @Column({ type: 'integer', default: 0, comment: 'The number of failed attempts.' }) attempts!: number;

  @Column({
    ...{ name: 'next_attempt_at', type: 'timestamptz', nullable: true, default: () => 'now()' },
    comment: 'When the next attempt is due; null: given up.',
  })
  nextAttemptAt!: Date | null;

  @Column({
    ...{ name: 'last_error', type: 'text', nullable: true },
    comment: 'The error of the last attempt; null: there was none.',
  })
  lastError!: string | null;

  @Column({
    ...{ name: 'created_at', type: 'timestamptz', default: () => 'now()' },
    comment: 'When the event happened.',
  })
  createdAt!: Date;
}
