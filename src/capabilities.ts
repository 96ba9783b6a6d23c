import { AUDIT } from './capabilities/audit/index.js';
import { AVAILABILITY } from './capabilities/availability/index.js';
import { CITUS } from './capabilities/citus/index.js';
import { DEFINITIONS } from './capabilities/definitions/index.js';
import { EXPORTS } from './capabilities/exports/index.js';
import { FILES } from './capabilities/files/index.js';
import { IDENTITIES } from './capabilities/identities/index.js';
import { LANGUAGES } from './capabilities/languages/index.js';
import { METRICS } from './capabilities/metrics/index.js';
import { RESPONDENTS } from './capabilities/respondents/index.js';
import { RETENTION } from './capabilities/retention/index.js';
import { TRACING } from './capabilities/tracing/index.js';
import { WEBHOOKS } from './capabilities/webhooks/index.js';
import type { Capability } from './server/capability.js';

/**
 * Everything that the service can do without. The core knows no capability: only this file and `entities.ts` name them. A
 * capability that adds options to a command of another one stands after it.
 */
export const CAPABILITIES: readonly Capability[] = [
  TRACING,
  METRICS,
  DEFINITIONS,
  EXPORTS,
  RESPONDENTS,
  AVAILABILITY,
  RETENTION,
  LANGUAGES,
  FILES,
  IDENTITIES,
  WEBHOOKS,
  AUDIT,
  CITUS,
];
