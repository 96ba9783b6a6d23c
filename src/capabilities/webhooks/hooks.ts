import type { EntityManager } from 'typeorm';
import type { Hooks, SelectedSubmissions } from '../../server/hooks.js';

/** A foreign key protects forms that have an endpoint of their own. */
async function obstacle(manager: EntityManager, { column, key }: SelectedSubmissions) {
  if (column !== 'form_id') return undefined;
  const found = await manager.query<{ id: number; slug: string }[]>(
    `select webhook_endpoints.id, slug from webhook_endpoints join forms on forms.id = form_id
      where form_id = $1 order by webhook_endpoints.id`,
    [key],
  );
  const ids = found.map(({ id }) => id);
  const [{ id: first, slug } = {}] = found;
  if (first === undefined) return undefined;
  return ids.length === 1
    ? `Webhook endpoint ${first} is for the form "${slug}" only. Remove it first, with "webhooks remove ${first}".`
    : `Webhook endpoints ${ids.slice(0, -1).join(', ')} and ${ids.at(-1)} are for the form "${slug}" only. ` +
        `Remove each of them first, with "webhooks remove ${first}" and so on.`;
}

/** An attempt that is under way may still reach its endpoint. The isolation of the transaction must be READ COMMITTED. */
async function forgetCopies(
  manager: EntityManager,
  submissions: readonly string[],
  fieldIds?: readonly number[],
): Promise<void> {
  await manager.query('select formtrail_webhooks_forget($1, $2)', [submissions, fieldIds]);
}

/** Also of submissions that were deleted before, by the user or an operator. */
async function forgetCopiesOfUser(manager: EntityManager, userId: number): Promise<void> {
  await manager.query(
    'select formtrail_webhooks_forget(array(select formtrail_webhooks_of_user($1)), null)',
    [userId],
  );
}

export const HOOKS: Hooks = {
  deletions: { obstacle, forgetCopies, forgetCopiesOfUser },
  staysBehind: 'Webhooks that were delivered: their receivers have copies.',
};
