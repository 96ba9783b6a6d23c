/** The API of the package for administration panels, which share the database and its entities with the service. */
import { AuditEntry } from './capabilities/audit/entities/audit-entry.js';
import { ApiToken } from './auth/entities/api-token.js';
import { EndedIdentity } from './capabilities/identities/entities/ended-identity.js';
import { UserIdentity } from './capabilities/identities/entities/user-identity.js';
import { User } from './auth/entities/user.js';
import { Condition } from './conditions/entities/condition.js';
import { Backup } from './database/entities/backup.js';
import { FileDeletion } from './capabilities/files/entities/file-deletion.js';
import { File } from './capabilities/files/entities/file.js';
import { DeletedStep } from './forms/entities/deleted-step.js';
import { EntityDefinition } from './forms/entities/entity-definition.js';
import { FieldRule } from './forms/entities/field-rule.js';
import { FieldType } from './forms/entities/field-type.js';
import { Field } from './forms/entities/field.js';
import { FormUuid } from './forms/entities/form-uuid.js';
import { FormVersion } from './forms/entities/form-version.js';
import { Form } from './forms/entities/form.js';
import { Option } from './forms/entities/option.js';
import { Step } from './forms/entities/step.js';
import { Respondent } from './capabilities/respondents/entities/respondent.js';
import { ResumeCode } from './capabilities/respondents/entities/resume-code.js';
import { SpentProof } from './capabilities/respondents/entities/spent-proof.js';
import { EntityRecord } from './submissions/entities/entity-record.js';
import { IdempotencyKey } from './submissions/entities/idempotency-key.js';
import { SubmissionValue } from './submissions/entities/submission-value.js';
import { Submission } from './submissions/entities/submission.js';
import { UserStorage } from './submissions/entities/user-storage.js';
import { WebhookDelivery } from './capabilities/webhooks/entities/webhook-delivery.js';
import { WebhookEndpoint } from './capabilities/webhooks/entities/webhook-endpoint.js';
import { WebhookOutboxEntry } from './capabilities/webhooks/entities/webhook-outbox-entry.js';

export { AUDIT_ACTIONS, type AuditAction } from './capabilities/audit/entities/audit-entry.js';
export { setActor } from './database/set-actor.js';
export { issueToken, type IssuedToken } from './auth/issue-token.js';
export { revokeToken, type Revocation } from './auth/revoke-token.js';
export { ACTIONS, OPERATORS, type Action, type Operator } from './conditions/engine/vocabulary.js';
export { isTimestamp, isTimestampOrInfinity } from './database/entities/timestamp-checks.js';
export { MIGRATIONS } from './migrations/index.js';
export { RULE_KINDS, type RuleKind } from './forms/entities/field-rule.js';
export { FILE_STATES, type FileState } from './capabilities/files/entities/file.js';
export { COMPONENTS, type Component } from './forms/field-types.js';
export { listReader } from './forms/option-list.js';
export { FORM_ACCESSES, type FormAccess } from './forms/entities/form.js';
export { issuePreviewToken } from './capabilities/respondents/issue-preview-token.js';
export { RECORD_ID } from './submissions/entities/record-id.js';
export { STATUSES, type Status } from './submissions/entities/submission.js';
export {
  createWebhookEndpoint,
  type CreatedEndpoint,
} from './capabilities/webhooks/create-webhook-endpoint.js';
export {
  WEBHOOK_BODIES,
  WEBHOOK_EVENTS,
  type WebhookBody,
  type WebhookEvent,
} from './capabilities/webhooks/entities/webhook-endpoint.js';
export {
  ApiToken,
  AuditEntry,
  Backup,
  Condition,
  DeletedStep,
  EndedIdentity,
  EntityDefinition,
  EntityRecord,
  Field,
  FieldRule,
  FieldType,
  File,
  FileDeletion,
  Form,
  FormUuid,
  FormVersion,
  IdempotencyKey,
  Option,
  Respondent,
  ResumeCode,
  SpentProof,
  Step,
  Submission,
  SubmissionValue,
  User,
  UserIdentity,
  UserStorage,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookOutboxEntry,
};

/** All entities, for the option `entities` of a TypeORM data source. */
export const ENTITIES = [
  User,
  ApiToken,
  UserIdentity,
  EndedIdentity,
  Form,
  Step,
  DeletedStep,
  FieldType,
  EntityDefinition,
  Field,
  FieldRule,
  Option,
  Condition,
  FormUuid,
  FormVersion,
  Submission,
  EntityRecord,
  SubmissionValue,
  IdempotencyKey,
  File,
  FileDeletion,
  UserStorage,
  Respondent,
  ResumeCode,
  SpentProof,
  WebhookEndpoint,
  WebhookOutboxEntry,
  WebhookDelivery,
  AuditEntry,
  Backup,
];
