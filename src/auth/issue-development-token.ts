import type { EntityManager } from 'typeorm';
import { findOrCreateUser } from './find-or-create-user.js';
import { issueToken } from './issue-token.js';

const DEVELOPER = 'dev@formtrail.local';

/** Returns the user of development tokens, and creates the user if necessary. */
export const findDeveloper = (manager: EntityManager) => findOrCreateUser(manager, DEVELOPER);

/** Issues a token for trying the service (A6). Creates its user if necessary. */
export async function issueDevelopmentToken(manager: EntityManager): Promise<string> {
  const { id } = await findDeveloper(manager);
  return (await issueToken(manager, { userId: id, name: 'development' })).plainToken;
}
