import { InitialSchema1795219200000 } from './1795219200000-initial-schema.js';
import { FormVersions1795219200001 } from './1795219200001-form-versions.js';
import { HotTables1795219200002 } from './1795219200002-hot-tables.js';
import { Truncation1795305600000 } from './1795305600000-truncation.js';
import { FieldRules1795392000000 } from './1795392000000-field-rules.js';
import { OwnSubmissions1795392000001 } from './1795392000001-own-submissions.js';
import { Records1795392000002 } from './1795392000002-records.js';
import { ReadableSchema1795478400000 } from './1795478400000-readable-schema.js';
import { Files1795564800000 } from './1795564800000-files.js';
import { Webhooks1795651200000 } from './1795651200000-webhooks.js';
import { BigintRecords1795737600000 } from './1795737600000-bigint-records.js';
import { WebhookQueue1795737600001 } from './1795737600001-webhook-queue.js';
import { WebhookListeners1795824000000 } from './1795824000000-webhook-listeners.js';
import { ShardFunctions1795824000001 } from './1795824000001-shard-functions.js';
import { TimestampChecks1795910400000 } from './1795910400000-timestamp-checks.js';
import { ValidTimestamps1795910400001 } from './1795910400001-valid-timestamps.js';
import { StatementTriggers1795914000000 } from './1795914000000-statement-triggers.js';
import { TimeZones1795917600000 } from './1795917600000-time-zones.js';
import { Names1795917600001 } from './1795917600001-names.js';
import { StoredSize1795921200000 } from './1795921200000-stored-size.js';
import { SubmissionsOfDeletions1795924800000 } from './1795924800000-submissions-of-deletions.js';
import { AuditLog1796000000000 } from './1796000000000-audit-log.js';
import { WebhookState1796200000000 } from './1796200000000-webhook-state.js';
import { Backups1796300000000 } from './1796300000000-backups.js';
import { PlainComments1796400000000 } from './1796400000000-plain-comments.js';
import { ConditionsOfSteps1796500000000 } from './1796500000000-conditions-of-steps.js';
import { Respondents1796600000000 } from './1796600000000-respondents.js';
import { Identities1796700000000 } from './1796700000000-identities.js';
import { KeptVersions1796800000000 } from './1796800000000-kept-versions.js';
import { MetaOfFields1796900000000 } from './1796900000000-meta-of-fields.js';
import { StepsOfSubmissions1797000000000 } from './1797000000000-steps-of-submissions.js';
import { LastVersions1797100000000 } from './1797100000000-last-versions.js';
import { HiddenValues1797200000000 } from './1797200000000-hidden-values.js';
import { BusyTables1797200000001 } from './1797200000001-busy-tables.js';
import { PlainMediaTypes1797200000002 } from './1797200000002-plain-media-types.js';
import { UserStorage1797300000000 } from './1797300000000-user-storage.js';
import {
  CountFiles1797300000002,
  CountOfSubmissions1797300000003,
  CountOfUsers1797300000004,
  CountText1797300000001,
} from './1797300000001-storage-triggers.js';
import { CountUserStorage1797300000005 } from './1797300000005-count-user-storage.js';
import { EndedTokens1797400000000 } from './1797400000000-ended-tokens.js';

/** All migrations in their order, for the `migrations` option of a data source. */
export const MIGRATIONS = [
  InitialSchema1795219200000,
  FormVersions1795219200001,
  HotTables1795219200002,
  Truncation1795305600000,
  FieldRules1795392000000,
  OwnSubmissions1795392000001,
  Records1795392000002,
  ReadableSchema1795478400000,
  Files1795564800000,
  Webhooks1795651200000,
  BigintRecords1795737600000,
  WebhookQueue1795737600001,
  WebhookListeners1795824000000,
  ShardFunctions1795824000001,
  TimestampChecks1795910400000,
  ValidTimestamps1795910400001,
  StatementTriggers1795914000000,
  TimeZones1795917600000,
  Names1795917600001,
  StoredSize1795921200000,
  SubmissionsOfDeletions1795924800000,
  AuditLog1796000000000,
  WebhookState1796200000000,
  Backups1796300000000,
  PlainComments1796400000000,
  ConditionsOfSteps1796500000000,
  Respondents1796600000000,
  Identities1796700000000,
  KeptVersions1796800000000,
  MetaOfFields1796900000000,
  StepsOfSubmissions1797000000000,
  LastVersions1797100000000,
  HiddenValues1797200000000,
  BusyTables1797200000001,
  PlainMediaTypes1797200000002,
  UserStorage1797300000000,
  CountText1797300000001,
  CountFiles1797300000002,
  CountOfSubmissions1797300000003,
  CountOfUsers1797300000004,
  CountUserStorage1797300000005,
  EndedTokens1797400000000,
];
