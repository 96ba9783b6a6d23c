import type { EntityManager } from 'typeorm';
import { ApiToken } from '../../auth/entities/api-token.js';
import { hashToken, type IssuedToken } from '../../auth/issue-token.js';
import { newRespondentToken } from './respondent-token.js';

const NAME = 'preview';

// One statement, so that a caller without a transaction leaves no user without a token. The database's clock decides when a token
// expires (A3).
const ISSUE = `
  with preview_user as (
    insert into users (email) select null from forms where id = $1 returning id
  ), respondent as (
    insert into respondents (user_id, form_id, is_preview) select id, $1, true from preview_user returning user_id
  )
  insert into api_tokens (user_id, name, token_hash, expires_at)
  select user_id, '${NAME}', $2, now() + interval '1 hour' from respondent
  returning id, user_id, expires_at, created_at`;

interface IssuedRow {
  readonly id: number;
  readonly user_id: number;
  readonly expires_at: Date;
  readonly created_at: Date;
}

/**
 * Issues a token with which an operator can try a form for an hour, even if the form is inactive (P10). Submissions that begin
 * with the token are tests, which are deleted after a day.
 *
 * @param manager the manager of a data source or a transaction, from any copy of TypeORM
 * @throws Error if the form does not exist
 */
export async function issuePreviewToken(
  manager: Pick<EntityManager, 'query'>,
  { formId }: { readonly formId: number },
): Promise<IssuedToken> {
  const plainToken = newRespondentToken();
  const tokenHash = Buffer.from(hashToken(plainToken), 'hex');
  const [row] = await manager.query<IssuedRow[]>(ISSUE, [formId, tokenHash]);
  if (row === undefined)
    throw new Error(`There is no form with the id ${formId}. Pass the id of a row of the table forms.`);
  const { id, user_id: userId, expires_at: expiresAt, created_at: createdAt } = row;
  const columns = { id, userId, name: NAME, tokenHash, expiresAt, createdAt };
  const token = Object.assign(new ApiToken(), columns, { revokedAt: null, isRenewable: false });
  return { plainToken, token };
}
