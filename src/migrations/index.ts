import { Core1798000000001 } from './0001-core.js';
import { Files1798000000002 } from '../capabilities/files/migrations/0002-files.js';
import { UserStorage1798000000003 } from './0003-user-storage.js';
import { Webhooks1798000000004 } from '../capabilities/webhooks/migrations/0004-webhooks.js';
import { Respondents1798000000005 } from '../capabilities/respondents/migrations/0005-respondents.js';
import { Identities1798000000006 } from '../capabilities/identities/migrations/0006-identities.js';
import { Audit1798000000007 } from '../capabilities/audit/migrations/0007-audit.js';

/** All migrations in their order, for the `migrations` option of a data source. */
export const MIGRATIONS = [
  Core1798000000001,
  Files1798000000002,
  UserStorage1798000000003,
  Webhooks1798000000004,
  Respondents1798000000005,
  Identities1798000000006,
  Audit1798000000007,
];
