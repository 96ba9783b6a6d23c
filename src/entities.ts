// The entities and the migrations of the core, then those of each capability, and what programs that write to them need.
export { issueToken, type IssuedToken } from './auth/issue-token.js';
export { revokeToken, type Revocation } from './auth/revoke-token.js';
export { ApiToken } from './auth/entities/api-token.js';
export { User } from './auth/entities/user.js';
export { ACTIONS, OPERATORS, type Action, type Operator } from './conditions/engine/vocabulary.js';
export {
  FORMULA_OPS,
  type Formula,
  type FormulaOp,
  type FormulaOperand,
} from './conditions/engine/formula.js';
export { Condition } from './conditions/entities/condition.js';
export { Backup } from './database/entities/backup.js';
export { isTimestamp, isTimestampOrInfinity } from './database/entities/timestamp-checks.js';
export { setActor } from './database/set-actor.js';
export { setDeletionReason, type DeletionReason } from './database/set-deletion-reason.js';
export { DeletedStep } from './forms/entities/deleted-step.js';
export { EntityDefinition } from './forms/entities/entity-definition.js';
export { FieldRule } from './forms/entities/field-rule.js';
export { RULE_KINDS, type RuleKind } from './forms/entities/rule-kinds.js';
export { FieldType } from './forms/entities/field-type.js';
export { Field } from './forms/entities/field.js';
export { FormUuid } from './forms/entities/form-uuid.js';
export { FormVersion } from './forms/entities/form-version.js';
export { Form, FORM_ACCESSES, type FormAccess } from './forms/entities/form.js';
export { isLocale } from './forms/entities/locale-checks.js';
export { Option } from './forms/entities/option.js';
export { Step } from './forms/entities/step.js';
export { TRANSLATED_KEYS } from './forms/entities/translated-keys.js';
export { Translation } from './forms/entities/translation.js';
export { COMPONENTS, type Component } from './forms/field-types.js';
export { listReader } from './forms/option-list.js';
export { Core1798000000001 } from './migrations/0001-core.js';
export { UserStorage1798000000003 } from './migrations/0003-user-storage.js';
export { CompletedAt1798000000008, CompletedAtChecked1798000000009 } from './migrations/0008-completed-at.js';
export { FormLimits1798000000010, OptionPlaces1798000000011 } from './migrations/0010-limits.js';
export {
  SubmissionLocale1798000000016,
  TranslatedEntities1798000000021,
  TranslatedFields1798000000020,
  TranslatedOptions1798000000022,
  TranslatedRules1798000000023,
  TranslatedSteps1798000000018,
  Translations1798000000015,
} from './migrations/0015-locales.js';
export {
  ComputedFields1798000000028,
  ExclusiveOptions1798000000027,
  OperatorsAndKinds1798000000024,
  RulesBetweenFields1798000000026,
  ValueFields1798000000025,
} from './migrations/0024-between-fields.js';
export {
  CheckedConditions1798000000031,
  CheckedFields1798000000030,
  CheckedFieldTypes1798000000033,
  CheckedReferences1798000000029,
  CheckedRules1798000000032,
} from './migrations/0029-references.js';
export {
  HeldSubmissions1798000000036,
  HeldSubmissionsChecked1798000000037,
  KeepingTimes1798000000034,
  PersonalFields1798000000035,
} from './migrations/0034-keeping.js';
export { EntityRecord } from './submissions/entities/entity-record.js';
export { IdempotencyKey } from './submissions/entities/idempotency-key.js';
export { RECORD_ID } from './submissions/entities/record-id.js';
export { SubmissionValue } from './submissions/entities/submission-value.js';
export { STATUSES, Submission, type Status } from './submissions/entities/submission.js';
export { UserStorage } from './submissions/entities/user-storage.js';

export * from './capabilities/audit/entities/index.js';
export * from './capabilities/availability/entities/index.js';
export * from './capabilities/files/entities/index.js';
export * from './capabilities/identities/entities/index.js';
export * from './capabilities/languages/entities/index.js';
export * from './capabilities/respondents/entities/index.js';
export * from './capabilities/retention/entities/index.js';
export * from './capabilities/webhooks/entities/index.js';
