import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { isTimestamp } from '../../database/entities/timestamp-checks.js';

/** The actions of operators and panels that the audit log records. */
export const AUDIT_ACTIONS = [
  'token.issued',
  'token.revoked',
  'token.changed',
  'token.deleted',
  'user.changed',
  'user.deleted',
  'user.erased',
  'webhook.added',
  'webhook.rotated',
  'webhook.disabled',
  'webhook.enabled',
  'webhook.changed',
  'webhook.removed',
  'form.imported',
  'form.deleted',
  'submissions.exported',
  'submissions.deleted',
  'audit.purged',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * One act of an operator or a panel. A program writes `action`, `subject` and `detail`. The database fills in the rest, and
 * rejects changes.
 */
@Entity('audit_log', {
  synchronize: false,
  comment: 'The acts of operators and panels that concern access and deletion. Rows are only ever added.',
})
@Check('audit_log_happened_at_check', isTimestamp('happened_at'))
@Check('audit_log_action_check', `action in ('${AUDIT_ACTIONS.join(`', '`)}')`)
@Check('audit_log_detail_check', `jsonb_typeof(detail) = 'object'`)
@Index('audit_log_happened_at_id_idx', ['happenedAt', 'id'])
export class AuditEntry {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    comment: 'Given by the database.',
  })
  id!: string;

  @Column({
    name: 'happened_at',
    type: 'timestamptz',
    default: () => 'now()',
    comment: 'When it happened. The database always sets it.',
  })
  happenedAt!: Date;

  @Column({
    type: 'varchar',
    length: 255,
    default: '',
    comment: 'Who did it: the setting formtrail.actor, or the database role. The database always sets it.',
  })
  actor!: string;

  @Column({
    name: 'database_role',
    type: 'text',
    default: '',
    comment: 'The role that logged in to the database. The database always sets it.',
  })
  databaseRole!: string;

  @Column({ type: 'varchar', length: 32, comment: 'What was done, such as token.issued.' })
  action!: AuditAction;

  @Column({
    type: 'varchar',
    length: 320,
    comment: 'What it was done to: a kind, a colon and an identifier, such as token:12. * means all.',
  })
  subject!: string;

  @Column({
    type: 'jsonb',
    default: {},
    comment: 'Counts, ids and settings. Never a value of a submission, a secret or an e-mail address.',
  })
  detail!: Record<string, unknown>;
}
