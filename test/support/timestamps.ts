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
  forms: ['created_at', 'updated_at', 'opens_at', 'closes_at'],
  form_versions: ['changed_at'],
  fields: ['retired_at'],
  submissions: ['created_at', 'updated_at', 'completed_at', 'anonymized_at'],
  entity_records: ['created_at'],
  idempotency_keys: ['expires_at'],
  backups: ['taken_at'],
  files: ['created_at', 'expires_at', 'scan_at'],
  file_deletions: ['due_at', 'until'],
  erasures: ['happened_at'],
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
