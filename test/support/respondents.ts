import { createHash } from 'node:crypto';
import { newRespondentToken } from '../../src/capabilities/respondents/respondent-token.js';
import { client, type Client } from './client.js';
import { buildForm, type BuiltForm, type FormPlan } from './forms.js';
import type { TestDatabase } from './test-database.js';

interface Use {
  readonly database: TestDatabase;
  readonly service: { readonly url: string };
}

export interface NewRespondent {
  readonly id: number;
  readonly plainToken: string;
  readonly client: Client;
}

/** Creates a public form. */
export const publicForm = (
  { database }: Pick<Use, 'database'>,
  { form, ...plan }: FormPlan = {},
): Promise<BuiltForm> =>
  buildForm(database.dataSource, { steps: [{ name: {} }, {}], ...plan, form: { access: 'public', ...form } });

export const bearer = (plainToken: string) => ({ Authorization: `Bearer ${plainToken}` });

export const hashOf = (plainToken: string) => createHash('sha256').update(plainToken).digest();

/** Becomes a respondent of a public form, as a browser does. */
export async function newRespondent(
  { database, service }: Use,
  { form }: Pick<BuiltForm, 'form'>,
): Promise<NewRespondent> {
  const { status, body } = await client(service.url).post('/api/v1/respondents', { form_uuid: form.uuid });
  expect(status).toBe(201);
  const plainToken: string = body.data.token;
  const [{ user_id: id }] = await database.dataSource.query(
    'select user_id from api_tokens where token_hash = $1',
    [hashOf(plainToken)],
  );
  return { id, plainToken, client: client(service.url, bearer(plainToken)) };
}

/** Lets the respondent's tokens expire as if time had passed: without the triggers that notice a change by a program. */
export const letTokensExpire = ({ dataSource }: Pick<TestDatabase, 'dataSource'>, { id }: { id: number }) =>
  dataSource.transaction(async (manager) => {
    await manager.query('set local session_replication_role = replica');
    await manager.query(`update api_tokens set expires_at = now() - interval '1 second' where user_id = $1`, [
      id,
    ]);
  });

/** Lets all tokens expire as if time had passed, and empties the services' caches, which would notice it only later. */
export const letAllTokensExpire = ({ dataSource }: Pick<TestDatabase, 'dataSource'>) =>
  dataSource.transaction(async (manager) => {
    await manager.query('set local session_replication_role = replica');
    await manager.query(`update api_tokens set expires_at = now() - interval '1 second'`);
    await manager.query(`select pg_notify('formtrail', 'truncated')`);
  });

/** Writes the rows of a preview's token, which is not renewable and lasts an hour. */
export async function newPreview(
  { database, service }: Use,
  { form }: Pick<BuiltForm, 'form'>,
): Promise<NewRespondent> {
  const plainToken = newRespondentToken();
  const [{ user_id: id }] = await database.dataSource.query(
    `with new_user as (insert into users default values returning id),
          new_respondent as (
            insert into respondents (user_id, form_id, is_preview) select id, $1, true from new_user
          )
     insert into api_tokens (user_id, token_hash, expires_at)
     select id, $2, now() + interval '1 hour' from new_user returning user_id`,
    [form.id, hashOf(plainToken)],
  );
  return { id, plainToken, client: client(service.url, bearer(plainToken)) };
}
