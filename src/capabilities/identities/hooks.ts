import { isoTimestampSql } from '../../database/iso-timestamp.js';
import type { Hooks } from '../../server/hooks.js';
import { ACCOUNTS } from './commands/accounts.js';

const IDENTITIES_OF_USER = `
  select id, issuer, subject, ${isoTimestampSql('created_at')} as created_at
    from user_identities where user_id = $1 order by id`;

export const HOOKS: Hooks = {
  userNames: ACCOUNTS,
  personalData: {
    ofUser: async (manager, userId) => ({ identities: await manager.query(IDENTITIES_OF_USER, [userId]) }),
  },
};
