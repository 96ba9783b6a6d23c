import { Any, type DataSource, type EntityManager } from 'typeorm';
import { ApiToken } from '../../auth/entities/api-token.js';

/** Respondents per transaction. Each commit notifies the servers of its tokens. */
const BATCH = 1_000;

const FIND_BATCH = `
  select user_id from respondents where form_id = $1 and user_id > $2 order by user_id limit ${BATCH}`;

/** Resuming locks the user too, so no code gives a token meanwhile. */
const LOCK_USERS = 'select from users where id = any ($1) order by id for no key update';

/**
 * Deletes the tokens of all respondents of a form, and a trigger deletes their resume codes (P8). Every server rejects a token with the next request after
 * its batch. Drafts and completed submissions stay. Calls `record` in the transaction of each batch that ends a token. Returns the
 * number of tokens.
 */
export async function revokeRespondents(
  dataSource: DataSource,
  formId: number,
  progress: (tokens: number) => void,
  record: (manager: EntityManager, tokens: number) => Promise<void>,
): Promise<number> {
  let tokens = 0;
  let last = 0;
  for (;;) {
    const found = await dataSource.query<{ user_id: number }[]>(FIND_BATCH, [formId, last]);
    const next = found.at(-1)?.user_id;
    if (next === undefined) return tokens;
    const userIds = found.map(({ user_id }) => user_id);
    tokens += await dataSource.transaction(async (manager) => {
      await manager.query(LOCK_USERS, [userIds]);
      const count = (await manager.delete(ApiToken, { userId: Any(userIds) })).affected ?? 0;
      if (count > 0) await record(manager, count);
      return count;
    });
    last = next;
    progress(tokens);
  }
}
