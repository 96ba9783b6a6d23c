import { Check, Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { isTimestamp } from '../../database/entities/timestamp-checks.js';
import type { WebhookEvent } from './webhook-endpoint.js';

/** An event of a submission (W1). Triggers write it, and the relay replaces it with a `WebhookDelivery` for each endpoint. */
@Entity('webhook_outbox', {
  synchronize: false,
  comment: 'What happened, as it was then, until whoever delivers makes deliveries of it.',
})
@Check('webhook_outbox_submission_created_at_check', isTimestamp('submission_created_at'))
@Check('webhook_outbox_submission_updated_at_check', isTimestamp('submission_updated_at'))
@Check('webhook_outbox_created_at_check', isTimestamp('created_at'))
export class WebhookOutboxEntry {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    comment: 'Given by the database.',
  })
  id!: string;

  @Column({ type: 'text', comment: 'What happened.' })
  event!: WebhookEvent;

  @Column({
    name: 'endpoint_ids',
    type: 'integer',
    array: true,
    comment: 'Who listened; they may be gone.',
  })
  endpointIds!: number[];

  @Column({ name: 'form_id', type: 'integer', comment: 'Of the form.' })
  formId!: number;

  @Column({ name: 'form_uuid', type: 'uuid', comment: 'Of the form.' })
  formUuid!: string;

  @Column({ name: 'form_slug', type: 'text', comment: 'Of the form.' })
  formSlug!: string;

  @Column({ name: 'form_version', type: 'integer', comment: 'Of the form.' })
  formVersion!: number;

  @Column({ name: 'submission_uuid', type: 'uuid', comment: 'Of a submission, which may be gone.' })
  submissionUuid!: string;

  @Column({ type: 'text', comment: 'Of the submission.' })
  status!: string;

  @Column({ name: 'current_step', type: 'integer', comment: 'Of the submission.' })
  currentStep!: number;

  @Column({
    name: 'submission_created_at',
    type: 'timestamptz',
    comment: 'When the submission was begun.',
  })
  submissionCreatedAt!: Date;

  @Column({
    name: 'submission_updated_at',
    type: 'timestamptz',
    comment: 'When the submission was written to last.',
  })
  submissionUpdatedAt!: Date;

  @Column({
    type: 'json',
    nullable: true,
    comment: 'Of the submission; null also where nobody who listened has full bodies.',
  })
  meta!: Record<string, unknown> | null;

  @Column({
    name: 'user_email',
    type: 'text',
    nullable: true,
    comment: 'Of the user; null where nobody who listened has full bodies.',
  })
  userEmail!: string | null;

  @Column({
    type: 'json',
    nullable: true,
    comment: 'Of the submission; null where nobody who listened has full bodies.',
  })
  values!: unknown[] | null;

  @Column({
    name: 'created_at',
    type: 'timestamptz',
    default: () => 'statement_timestamp()',
    comment: 'When it happened.',
  })
  createdAt!: Date;
}
