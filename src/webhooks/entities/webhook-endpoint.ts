import { Check, Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { isTimestamp, isTimestampOrInfinity } from '../../database/entities/timestamp-checks.js';
import { Form } from '../../forms/entities/form.js';

/** The events that webhooks report (W1). */
export const WEBHOOK_EVENTS = ['submission.created', 'submission.completed', 'submission.deleted'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** How much of a submission a webhook contains (W6). */
export const WEBHOOK_BODIES = ['thin', 'full'] as const;
export type WebhookBody = (typeof WEBHOOK_BODIES)[number];

/** A receiver of webhooks (W2). `createWebhookEndpoint()` creates one. */
@Entity('webhook_endpoints', { synchronize: false, comment: 'Who is told of what happens to submissions.' })
@Check('webhook_endpoints_url_check', `url ~ '^https?://[^/?#]'`)
@Check(
  'webhook_endpoints_events_check',
  `cardinality(events) > 0 and events <@ array['${WEBHOOK_EVENTS.join(`', '`)}']`,
)
@Check('webhook_endpoints_body_check', `body in ('${WEBHOOK_BODIES.join(`', '`)}')`)
@Check('webhook_endpoints_disabled_reason_check', `disabled_reason <> ''`)
@Check(
  'webhook_endpoints_previous_secret_expires_at_check',
  isTimestampOrInfinity('previous_secret_expires_at'),
)
@Check('webhook_endpoints_failing_since_check', isTimestamp('failing_since'))
@Check('webhook_endpoints_created_at_check', isTimestamp('created_at'))
export class WebhookEndpoint {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT', comment: 'Given by the database.' })
  id!: number;

  @Column({
    name: 'form_id',
    type: 'integer',
    nullable: true,
    comment: 'Only submissions of this form; null: of all.',
  })
  formId!: number | null;

  @ManyToOne(() => Form)
  @JoinColumn({ name: 'form_id', foreignKeyConstraintName: 'webhook_endpoints_form_id_fkey' })
  form!: Relation<Form> | null;

  @Column({ type: 'text', comment: 'http or https; where it leads is checked each time it is connected to.' })
  url!: string;

  @Column({
    type: 'text',
    array: true,
    default: ['submission.completed', 'submission.deleted'],
    comment: 'What it is told of, one at least.',
  })
  events!: WebhookEvent[];

  @Column({ type: 'varchar', length: 4, default: 'thin', comment: 'thin, or full: with meta and values.' })
  body!: WebhookBody;

  @Column({ type: 'bytea', comment: 'What webhooks are signed with, encrypted under WEBHOOK_KEY.' })
  secret!: Buffer;

  @Column({
    name: 'previous_secret',
    type: 'bytea',
    nullable: true,
    comment: 'The one before, which signs too until its time is over; or null.',
  })
  previousSecret!: Buffer | null;

  @Column({
    name: 'previous_secret_expires_at',
    type: 'timestamptz',
    nullable: true,
    comment: 'Until when the previous secret signs; infinity: until the secret is rotated again.',
  })
  previousSecretExpiresAt!: Date | null;

  @Column({
    name: 'disabled_reason',
    type: 'text',
    nullable: true,
    comment: 'Why it is told of nothing; null: active.',
  })
  disabledReason!: string | null;

  @Column({
    name: 'failing_since',
    type: 'timestamptz',
    nullable: true,
    comment: 'The first failure since the last success; null: there is none.',
  })
  failingSince!: Date | null;

  @Column({
    name: 'created_at',
    type: 'timestamptz',
    default: () => 'now()',
    comment: 'When the endpoint was added.',
  })
  createdAt!: Date;
}
