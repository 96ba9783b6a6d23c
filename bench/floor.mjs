/**
 * The floor: a server that a careful engineer would write by hand for the six measured requests only. It caches tokens,
 * schemas and conditions, and never invalidates them. It has no rate limit, log, request id or ETag. Each request executes
 * one named statement on the service's tables, and joins forms instead of caching them.
 */
import Fastify from 'fastify';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 12, keepAlive: true });
const query = async (name, text, values) => (await pool.query({ name, text, values })).rows;

const time = (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const SUBMISSION = `submissions.uuid, submissions.form_id, status, current_step, meta,
  ${time('submissions.created_at')} as created_at, ${time('submissions.updated_at')} as updated_at, is_test,
  begun_version, completed_version, submissions.locale, ${time('anonymized_at')} as anonymized_at`;

const CREATE = `insert into submissions (uuid, form_id, user_id, begun_version)
  select $1, id, $2, version from forms where uuid = $3 and is_active returning ${SUBMISSION}`;

const READ = `select ${SUBMISSION},
    (select coalesce(json_agg(json_build_object('field_id', field_id, 'field_code', code, 'value', value,
              'entity_record_id', entity_record_id) order by field_id, entity_record_id nulls first), '[]')
       from submission_values join fields on fields.id = field_id
      where submission_uuid = submissions.uuid) as values,
    (select coalesce(json_agg(json_build_object('id', entity_records.id, 'entity', name,
              'created_at', ${time('entity_records.created_at')}) order by entity_records.id), '[]')
       from entity_records join entities on entities.id = entity_id
      where submission_uuid = submissions.uuid) as records
  from submissions where uuid = $1 and user_id = $2`;

const STORE = `with entries as materialized (
    select fields.id, fields.form_id, code, is_repeatable, value, position
      from unnest($3::integer[], $4::text[]) with ordinality as entry (field_id, value, position)
      join submissions on submissions.uuid = $1
      join fields on fields.id = field_id and fields.form_id = submissions.form_id
  ), written as (
    update submissions set updated_at = clock_timestamp()
     where uuid = $1 and user_id = $2 and status = 'draft' and (select count(*) from entries) = $5
    returning uuid
  ), stored as (
    insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
    select uuid, form_id, id, is_repeatable, value from written, entries
    on conflict (submission_uuid, field_id, record_key) do update set value = excluded.value, entity_record_id = null
  )
  select id as field_id, code as field_code, value, null as entity_record_id from written, entries order by position`;

const STEPS = '(select count(*)::integer from steps where steps.form_id = submissions.form_id)';
const ADVANCE = `update submissions set current_step = current_step + 1, updated_at = clock_timestamp()
   where uuid = $1 and user_id = $2 and status = 'draft' and current_step < ${STEPS}
  returning uuid, current_step, status, ${STEPS} as steps`;
const RETREAT = `update submissions set current_step = current_step - 1, updated_at = clock_timestamp()
   where uuid = $1 and user_id = $2 and status = 'draft' and current_step > 1
  returning uuid, current_step, status, ${STEPS} as steps`;

const VALUES = `select form_id,
    (select coalesce(json_object_agg(field_id, value), '{}')
       from submission_values where submission_uuid = submissions.uuid) as values
  from submissions where uuid = $1 and user_id = $2`;

const RULES = `select id, is_required, coalesce((select json_agg(conditions)
    from conditions where field_id = fields.id), '[]') as conditions
  from fields where form_id = $1`;

/** The conditions of an owner, as the schema has them. */
const conditionsOf = (owner) => `(select coalesce(json_agg(json_build_object(
                'depends_on_field_id', depends_on_field_id, 'depends_on_field_code', other.code,
                'operator', operator, 'value', value, 'action', action, 'group', group_number
              ) order by conditions.id), '[]')
              from conditions join fields other on other.id = depends_on_field_id
              where conditions.${owner})`;

const SCHEMA = `select uuid, name, slug, description, is_active, version, completion, access, proof_of_work, time_zone,
    (select json_agg(json_build_object('id', steps.id, 'step_number', step_number, 'title', title,
        'description', steps.description, 'is_visible', is_visible, 'meta', meta, 'fields',
        (select coalesce(json_agg(json_build_object('id', fields.id, 'code', code, 'label', label,
            'placeholder', placeholder, 'description', fields.description, 'is_required', is_required,
            'is_repeatable', is_repeatable, 'default_value', default_value,
            'max_bytes', max_bytes, 'accept', accept, 'meta', meta, 'order', "order",
            'field_type', json_build_object('name', field_types.name, 'component', component),
            'entity', (select name from entities where id = entity_id),
            'options', (select coalesce(json_agg(json_build_object('label', label, 'value', value, 'order', "order")
                order by "order", id), '[]') from options where field_id = fields.id),
            'conditions', ${conditionsOf('field_id = fields.id')},
            'rules', (select coalesce(json_agg(json_build_object('kind', kind, 'value', value, 'message', message)
                order by id), '[]') from field_rules where field_id = fields.id)
          ) order by "order", fields.id), '[]')
         from fields join field_types on field_types.id = field_type_id where step_id = steps.id),
        'conditions', ${conditionsOf('step_id = steps.id')}
      ) order by step_number) from steps where form_id = forms.id) as steps,
    (select coalesce(json_agg(json_build_object('name', name, 'label', label, 'is_repeatable', is_repeatable,
        'min_records', min_records, 'max_records', max_records,
        'conditions', ${conditionsOf('entity_id = entities.id')}) order by id), '[]')
       from entities where form_id = forms.id) as entities
  from forms where uuid = $1`;

const tokens = new Map();
const schemas = new Map();
const rules = new Map();
const app = Fastify();
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

class HttpError extends Error {
  constructor(statusCode, message) {
    super(message);
    this.statusCode = statusCode;
  }
}
const notFound = () => new HttpError(404, 'Not found.');
const invalid = () => new HttpError(422, 'The given data was invalid.');

/** A hook only for the routes that need a token. */
async function authenticate(request) {
  const token = /^bearer ([^ ]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!tokens.has(token)) {
    const hash = createHash('sha256')
      .update(token ?? '')
      .digest();
    const [row] = await query('token', 'select user_id from api_tokens where token_hash = $1', [hash]);
    if (row === undefined) throw new HttpError(401, 'Unauthenticated.');
    tokens.set(token, row.user_id);
  }
  request.userId = tokens.get(token);
  if (request.params.uuid !== undefined && !UUID.test(request.params.uuid)) throw notFound();
}
app.decorateRequest('userId', 0);
const guarded = { onRequest: authenticate };

app.post('/api/v1/submissions', guarded, async ({ body, userId }, reply) => {
  if (typeof body?.form_uuid !== 'string' || !UUID.test(body.form_uuid)) throw invalid();
  const [row] = await query('create', CREATE, [uuidv7(), userId, body.form_uuid]);
  if (row === undefined) throw invalid();
  reply.code(201);
  return { data: row };
});

app.get('/api/v1/submissions/:uuid', guarded, async ({ params, userId }) => {
  const [row] = await query('read', READ, [params.uuid, userId]);
  if (row === undefined) throw notFound();
  return { data: row };
});

app.post('/api/v1/submissions/:uuid/values', guarded, async ({ body, params, userId }) => {
  const entries = body?.values;
  if (!Array.isArray(entries) || entries.length > 500 || !entries.every(isEntry)) throw invalid();
  const fieldIds = entries.map((entry) => entry.field_id);
  const values = entries.map((entry) => entry.value);
  const data = await query('store', STORE, [params.uuid, userId, fieldIds, values, entries.length]);
  if (data.length === 0) throw invalid();
  return { data };
});

function isEntry(entry) {
  const { field_id, value } = entry ?? {};
  return Number.isInteger(field_id) && field_id > 0 && typeof value === 'string' && value.length <= 65_535;
}

for (const [name, statement] of Object.entries({ advance: ADVANCE, retreat: RETREAT })) {
  app.post(`/api/v1/submissions/:uuid/${name}`, guarded, async ({ params, userId }) => {
    const [row] = await query(name, statement, [params.uuid, userId]);
    if (row === undefined) throw invalid();
    const { uuid, current_step, status, steps } = row;
    const progress_percentage = Math.round((current_step / steps) * 100);
    return {
      data: { uuid, current_step, status, is_last_step: current_step === steps, progress_percentage },
    };
  });
}

app.get('/api/v1/submissions/:uuid/conditions', guarded, async ({ params, userId }) => {
  const [row] = await query('values', VALUES, [params.uuid, userId]);
  if (row === undefined) throw notFound();
  if (!rules.has(row.form_id)) rules.set(row.form_id, await readRules(row.form_id));
  const data = {};
  for (const field of rules.get(row.form_id)) data[field.id] = stateOf(field, row.values);
  return { data };
});

async function readRules(formId) {
  const fields = await query('rules', RULES, [formId]);
  for (const condition of fields.flatMap(({ conditions }) => conditions)) {
    condition.items = condition.value.split(',').map((item) => item.trim());
  }
  return fields;
}

function stateOf({ conditions, is_required }, values) {
  let [shows, shown, hidden, required] = [false, false, false, is_required];
  for (const condition of conditions) {
    const met = isMet(condition, values[condition.depends_on_field_id] ?? '');
    if (condition.action === 'show') [shows, shown] = [true, shown || met];
    else if (condition.action === 'hide') hidden ||= met;
    else required ||= met;
  }
  const visible = !hidden && (!shows || shown);
  return { visible, required: visible && required };
}

function isMet({ operator, value, items }, stored) {
  switch (operator) {
    case 'equals':
      return stored !== '' && stored === value;
    case 'not_equals':
      return stored === '' || stored !== value;
    case 'contains':
      return stored !== '' && stored.includes(value);
    case 'greater_than':
      return stored !== '' && Number(stored) > Number(value);
    case 'less_than':
      return stored !== '' && Number(stored) < Number(value);
    case 'in':
      return stored !== '' && items.includes(stored);
    case 'not_in':
      return stored === '' || !items.includes(stored);
    case 'empty':
      return stored === '';
    case 'not_empty':
      return stored !== '';
  }
}

app.get('/api/v1/forms/:uuid/schema', async ({ params }, reply) => {
  if (!schemas.has(params.uuid)) {
    const [row] = UUID.test(params.uuid) ? await query('schema', SCHEMA, [params.uuid]) : [];
    if (row === undefined) throw notFound();
    schemas.set(params.uuid, Buffer.from(JSON.stringify({ data: row })));
  }
  reply.type('application/json; charset=utf-8');
  return schemas.get(params.uuid);
});

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.once('SIGTERM', async () => {
  await app.close();
  await pool.end();
});
