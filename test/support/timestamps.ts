import { randomBytes, randomUUID } from 'node:crypto';
import { createWebhookEndpoint } from '../../src/entities.js';
import { type Draft, newDraft } from './drafts.js';
import { announcementOf } from './files.js';
import { buildEntity } from './forms.js';
import type { Service } from './service.js';
import type { TestDatabase } from './test-database.js';

/** PostgreSQL timestamps that ISO 8601 cannot express with a four-digit year. */
export const UNWRITABLE = [
  'infinity',
  '-infinity',
  '294276-12-31 23:59:59.999999+00',
  '10000-01-01 00:00:00+00',
  '0044-03-15 12:00:00+00 BC',
  '0001-12-31 23:59:59.999999+00 BC',
  '4714-11-24 00:00:00+00 BC',
];

const TIMESTAMPS = {
  users: ['created_at', 'tokens_valid_from'],
  api_tokens: ['expires_at', 'revoked_at', 'created_at'],
  forms: ['created_at', 'updated_at'],
  form_versions: ['changed_at'],
  fields: ['retired_at'],
  submissions: ['created_at', 'updated_at'],
  entity_records: ['created_at'],
  idempotency_keys: ['expires_at'],
  backups: ['taken_at'],
  files: ['created_at', 'expires_at', 'scan_at'],
  file_deletions: ['due_at', 'until'],
  webhook_endpoints: ['previous_secret_expires_at', 'failing_since', 'created_at'],
  webhook_outbox: ['submission_created_at', 'submission_updated_at', 'created_at'],
  webhook_deliveries: ['next_attempt_at', 'created_at'],
  respondents: ['created_at'],
  resume_codes: ['expires_at', 'created_at'],
  spent_proofs: ['expires_at'],
  user_identities: ['created_at'],
  ended_identities: ['ended_at'],
  audit_log: ['happened_at'],
};

/** The columns that may contain `infinity`, which means that there is no end. */
export const MAY_BE_INFINITE = [
  'users.tokens_valid_from',
  'api_tokens.expires_at',
  'webhook_endpoints.previous_secret_expires_at',
];

/** Every timestamp column. */
export const TIMESTAMP_COLUMNS = Object.entries(TIMESTAMPS).flatMap(([table, columns]) =>
  columns.map((column) => ({ table, column, name: `${table}.${column}` })),
);

interface Use {
  readonly database: TestDatabase;
  readonly service: Service;
}

/** Fills each table that has timestamps with a row. */
export async function fillTimestamps(use: Use): Promise<Draft> {
  const { dataSource } = use.database;
  const draft = await newDraft(use, [{ name: {}, cv: { type: 'file' } }, {}]);
  const { client, path, form, uuid, userId } = draft;
  await buildEntity(dataSource, draft, { name: 'receipt', isRepeatable: true }, []);
  await use.service.hearing(() =>
    dataSource.query('update forms set name = name || $2 where id = $1', [form.id, '!']),
  );
  expect((await client.post(`${path}/records`, { entity: 'receipt' })).status).toBe(201);
  expect((await client.post(`${path}/files`, announcementOf(Buffer.from('x')))).status).toBe(201);
  await createWebhookEndpoint(
    dataSource.manager,
    { url: 'https://receiver.example/hook', formId: form.id },
    randomBytes(32).toString('base64'),
  );
  await dataSource.query(`insert into idempotency_keys values ($1, 'key', '', 'null', now())`, [userId]);
  const [{ id: respondent }] = await dataSource.query<[{ id: number }]>(
    'insert into users default values returning id',
  );
  await dataSource.query('insert into respondents (user_id, form_id) values ($1, $2)', [respondent, form.id]);
  await dataSource.query('insert into resume_codes (user_id, code_hash, expires_at) values ($1, $2, now())', [
    respondent,
    randomBytes(32),
  ]);
  await dataSource.query('update users set tokens_valid_from = created_at where id = $1', [userId]);
  await dataSource.query(
    `insert into user_identities (user_id, issuer, subject) values ($1, 'issuer', 'subject')`,
    [userId],
  );
  await dataSource.query(`insert into form_versions values ($1, 1, '{}', null, now())`, [form.id]);
  await dataSource.query('insert into ended_identities values ($1, now())', [randomBytes(32)]);
  await dataSource.query('insert into spent_proofs values ($1, now())', [randomBytes(32)]);
  await dataSource.query('insert into backups default values');
  await dataSource.query('insert into file_deletions (uuid, until) values ($1, now())', [randomUUID()]);
  await dataSource.query(
    `insert into webhook_outbox (event, endpoint_ids, form_id, form_uuid, form_slug, form_version, submission_uuid, status,
       current_step, submission_created_at, submission_updated_at)
     values ('submission.completed', '{1}', $1, $2, $3, 1, $4, 'completed', 1, now(), now())`,
    [form.id, form.uuid, form.slug, uuid],
  );
  await dataSource.query(
    `insert into webhook_deliveries (endpoint_id, event, submission_uuid, body, next_attempt_at, last_error)
     values (1, 'submission.completed', $1, '{}', null, 'HTTP 500')`,
    [uuid],
  );
  return draft;
}
