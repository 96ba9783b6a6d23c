/** What the administration panel imports: the entities of the database that it shares with this service. */
export { ApiToken } from './auth/entities/api-token.js';
export { User } from './auth/entities/user.js';
export { issueToken, type IssuedToken } from './auth/issue-token.js';
export { Condition } from './conditions/entities/condition.js';
export { ACTIONS, OPERATORS, type Action, type Operator } from './conditions/rules/index.js';
export { EntityDefinition } from './forms/entities/entity-definition.js';
export { FieldType } from './forms/entities/field-type.js';
export { Field } from './forms/entities/field.js';
export { Form } from './forms/entities/form.js';
export { Option } from './forms/entities/option.js';
export { Step } from './forms/entities/step.js';
export { EntityRecord } from './submissions/entities/entity-record.js';
export { IdempotencyKey } from './submissions/entities/idempotency-key.js';
export { SubmissionValue } from './submissions/entities/submission-value.js';
export { Submission } from './submissions/entities/submission.js';
