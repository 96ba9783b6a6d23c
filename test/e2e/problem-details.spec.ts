import { Form } from '../../src/entities.js';
import { PROBLEMS } from '../../src/http/errors/problem-codes.js';
import { client, type Answer, type Client } from '../support/client.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { createDraft, newDraft } from '../support/drafts.js';
import { buildRecords } from '../support/forms.js';
import { inOwnDatabase } from '../support/own-database.js';
import { readRaw, sendHttp, sendRaw } from '../support/raw.js';
import { secretsIn } from '../support/refusal.js';
import { newUser, useService, withServiceOn } from '../support/service.js';

const UUID = '01890000-0000-7000-8000-000000000001';
const DETAILS = 'application/problem+json';
const TYPES = 'https://github.com/formtrail/formtrail/blob/main/docs/contract.md#';

const use = useService();

/** Creates a user, and returns the user's client, which accepts problem details. */
async function userOfDetails() {
  const user = await newUser(use);
  return client(use.service.url, { Authorization: `Bearer ${user.plainToken}`, Accept: DETAILS });
}

/** Creates a draft, with a client of the draft's user that accepts problem details. */
async function draftOfDetails(
  ...plan: Parameters<typeof newDraft> extends [unknown, ...infer Rest] ? Rest : never
) {
  const built = await newDraft(use, ...plan);
  const plain = built.client;
  const details: Client = {
    get: (path, headers) => plain.get(path, { Accept: DETAILS, ...headers }),
    post: (path, body, headers) => plain.post(path, body, { Accept: DETAILS, ...headers }),
    patch: (path, body, headers) => plain.patch(path, body, { Accept: DETAILS, ...headers }),
    delete: (path, headers) => plain.delete(path, { Accept: DETAILS, ...headers }),
    send: (method, path, text, headers) => plain.send(method, path, text, { Accept: DETAILS, ...headers }),
  };
  return { ...built, plain, client: details };
}

/** Expects exactly the problem details that `PROBLEMS` has for this code, with `errors` only if `errors` is given. */
function expectDetails(answer: Answer, code: keyof typeof PROBLEMS, detail: unknown, errors?: object[]) {
  const { status, title } = PROBLEMS[code];
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: { type: TYPES + code, title, status, detail, code, ...(errors && { errors }) },
  });
  expect(answer.headers.get('content-type')).toBe(DETAILS);
  expect(answer.headers.get('vary')).toMatch(/\bAccept$/);
  expect(secretsIn(answer.body)).toEqual([]);
}

const said = (field: string, code: string, detail: string, params: object = {}) => ({
  field,
  code,
  detail,
  params,
});

describe('E11: errors as problem details (RFC 9457)', () => {
  it('400: malformed bodies, escapes and hosts', async () => {
    const { client, path } = await draftOfDetails();
    const malformed = await client.send('PATCH', path, '{');
    expectDetails(
      malformed,
      'malformed_json',
      expect.stringMatching(/^The request body is not valid JSON: /),
    );
    const deep = await client.send('PATCH', path, '['.repeat(65));
    expectDetails(deep, 'body_too_deep', 'The request body is nested deeper than 64 levels.');
    const escape = await client.get('/api/v1/forms/%ff');
    expectDetails(escape, 'malformed_url', 'The URL is malformed: check its percent-escapes.');
    const host = await sendHttp(use.service.url, '/nothing', {
      headers: { Host: 'a b', Accept: DETAILS },
    });
    expectDetails(host, 'malformed_request', 'The request is malformed.');
  });

  it('401, with its challenge', async () => {
    const answer = await use.service.anyone.get(`/api/v1/submissions/${UUID}`, { Accept: DETAILS });
    expectDetails(answer, 'unauthenticated', 'Unauthenticated.');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('404: unknown forms, submissions, routes and methods', async () => {
    const client = await userOfDetails();
    expectDetails(await client.get(`/api/v1/forms/${UUID}`), 'form_not_found', 'Form not found.');
    expectDetails(await client.get('/api/v1/forms/none/by-slug'), 'form_not_found', 'Form not found.');
    for (const uuid of [UUID, 'nonsense']) {
      const answer = await client.get(`/api/v1/submissions/${uuid}`);
      expectDetails(answer, 'submission_not_found', 'Submission not found.');
    }
    for (const path of ['/api', '/api/v1', '/api/v1/nothing', '/docs/nothing', '/health/nothing']) {
      const answer = await client.get(path);
      expectDetails(answer, 'route_not_found', 'Route not found.');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    for (const method of ['PUT', 'DELETE', 'PROPFIND']) {
      const answer = await sendHttp(use.service.url, '/api/v1/forms', {
        method,
        headers: { Accept: DETAILS },
      });
      expectDetails(answer, 'route_not_found', 'Route not found.');
    }
  });

  it('412: a submission that has changed since', async () => {
    const { client, path } = await draftOfDetails();
    const answer = await client.patch(path, { meta: {} }, { 'If-Match': '"an older one"' });
    expectDetails(answer, 'submission_changed', expect.stringContaining('has changed since'));
  });

  it('413 and 415: bodies that are too large or not plain JSON', async () => {
    const { client, path } = await draftOfDetails();
    const large = await client.send('PATCH', path, 'x'.repeat(2 ** 20 + 1));
    expectDetails(large, 'body_too_large', 'The request body is larger than 1 MiB.');
    const many = await client.send('PATCH', path, `[${'0,'.repeat(20_000)}0]`);
    expectDetails(
      many,
      'body_too_many_values',
      'The request body has more than 20000 values, objects and arrays included.',
    );
    const text = await client.send('PATCH', path, 'x', { 'Content-Type': 'text/plain' });
    expectDetails(text, 'body_not_json', expect.stringContaining('must be JSON'));
    const coded = await client.send('PATCH', path, 'x', { 'Content-Encoding': 'gzip' });
    expectDetails(coded, 'body_compressed', expect.stringContaining('must not be compressed'));
    expect(coded.headers.get('accept-encoding')).toBe('identity');
  });

  it('417: an unknown expectation', async () => {
    const head = `GET /api/v1/forms HTTP/1.1\r\nHost: x\r\nAccept: ${DETAILS}\r\nExpect: x\r\nConnection: close\r\n\r\n`;
    const { status, headers, body } = readRaw(await sendRaw(use.service.url, head));
    const answer = { status, headers, body: JSON.parse(body) as unknown };
    expectDetails(answer, 'unknown_expectation', expect.stringContaining('The Expect header'));
  });

  it('429, with Retry-After', async () => {
    await withServiceOn(use.database, { THROTTLE_LIMIT: '1' }, async ({ anyone }) => {
      await anyone.get('/api/v1/forms');
      const answer = await anyone.get('/api/v1/forms', { Accept: DETAILS });
      expectDetails(answer, 'too_many_requests', 'Too many requests; try again later.');
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    });
  });

  it('500, which does not reveal the cause, and 503', async () => {
    await inOwnDatabase(async ({ database, service }) => {
      await database.dataSource.query('alter table forms rename column slug to away');
      const answer = await service.anyone.get('/api/v1/forms', { Accept: DETAILS });
      expectDetails(answer, 'server_error', 'Server error.');
    });
    const proxy = await startDatabaseProxy(use.database.connection);
    const behind = { ...use.database, connection: proxy.connection };
    await withServiceOn(behind, {}, async ({ anyone }) => {
      await proxy.refuse();
      const answer = await anyone.get('/api/v1/forms', { Accept: DETAILS });
      expectDetails(answer, 'database_unavailable', expect.stringContaining('cannot be reached'));
      expect(answer.headers.get('retry-after')).toBe('2');
      await proxy.heal();
    });
    await proxy.close();
  });

  it('HEAD has no body, and the headers of GET', async () => {
    const answer = await sendHttp(use.service.url, `/api/v1/forms/${UUID}`, {
      method: 'HEAD',
      headers: { Accept: DETAILS },
    });
    expect([answer.status, answer.headers.get('content-type'), answer.body]).toEqual([
      404,
      DETAILS,
      undefined,
    ]);
  });
});

describe('E11: 422 with a list of errors', () => {
  it('lists none if the state of the submission forbids the request', async () => {
    const { client, path } = await draftOfDetails();
    const back = await client.post(`${path}/retreat`);
    expectDetails(back, 'already_on_first_step', 'Already on the first step.');
    expectDetails(await client.post(`${path}/advance`), 'already_on_last_step', 'Already on the last step.');
    await client.patch(path, { status: 'completed' });
    const again = await client.post(`${path}/advance`);
    expectDetails(again, 'already_completed', 'The submission is already completed.');
  });

  const INVALID = 'The given data was invalid.';

  it('for a query', async () => {
    const answer = await use.service.anyone.get('/api/v1/forms?page=0&per_page=101', { Accept: DETAILS });
    const range = 'must be an integer from 1 to';
    expectDetails(answer, 'invalid_data', INVALID, [
      said('page', 'not_an_integer', `The page ${range} 2147483647.`, { min: 1, max: 2_147_483_647 }),
      said('per_page', 'not_an_integer', `The per_page ${range} 100.`, { min: 1, max: 100 }),
    ]);
    const { client, path } = await draftOfDetails();
    expectDetails(await client.get(`${path}/conditions?shape=tree&explain=1`), 'invalid_data', INVALID, [
      said('explain', 'not_allowed', 'The explain must be true or false.', { allowed: ['true', 'false'] }),
      said('shape', 'not_allowed', 'The shape must be map or list.', { allowed: ['map', 'list'] }),
    ]);
  });

  it('for a header', async () => {
    const { client, path, form } = await draftOfDetails();
    const create = (key: string) =>
      client.post('/api/v1/submissions', { form_uuid: form.uuid }, { 'Idempotency-Key': key });
    expectDetails(await create('é'), 'invalid_data', INVALID, [
      said('Idempotency-Key', 'malformed_key', expect.stringContaining('printable'), {
        max: 255,
      }),
    ]);
    await create('mine');
    expectDetails(
      await client.post(`${path}/advance`, undefined, { 'Idempotency-Key': 'mine' }),
      'invalid_data',
      INVALID,
      [said('Idempotency-Key', 'key_used', 'The Idempotency-Key was used for another request.')],
    );
  });

  it('for bodies', async () => {
    const { client, path, form } = await draftOfDetails();
    const code = async (answer: Promise<Answer>) =>
      ((await answer).body.errors as { field: string; code: string; params: object }[]).map(
        ({ field, code, params }) => [field, code, params],
      );
    const create = (body: unknown) => code(client.post('/api/v1/submissions', body));
    expect(await create([])).toEqual([['body', 'not_an_object', {}]]);
    expect(await create({})).toEqual([['form_uuid', 'required', {}]]);
    expect(await create({ form_uuid: 5 })).toEqual([['form_uuid', 'not_a_string', {}]]);
    expect(await create({ form_uuid: UUID })).toEqual([['form_uuid', 'unknown_form', {}]]);
    const { manager } = use.database.dataSource;
    await use.service.hearing(() => manager.update(Form, { id: form.id }, { isActive: false }));
    expect(await create({ form_uuid: form.uuid })).toEqual([['form_uuid', 'inactive_form', {}]]);

    const patch = (body: object | string) =>
      code(typeof body === 'string' ? client.send('PATCH', path, body) : client.patch(path, body));
    expect(await patch({ status: 'open', meta: [] })).toEqual([
      ['status', 'not_allowed', { allowed: ['draft', 'completed'] }],
      ['meta', 'not_an_object', {}],
    ]);
    expect(await patch({ meta: { text: 'x'.repeat(16_384) } })).toEqual([
      ['meta', 'too_large', { max: 16_384, size: 16_395 }],
    ]);
    expect(await patch({ meta: { text: '\u0000' } })).toEqual([['meta', 'contains_null_character', {}]]);
    expect(await patch('{"meta": {"text": "\\ud800"}}')).toEqual([['meta', 'contains_lone_surrogate', {}]]);
    expect(await patch('{"meta": {"number": 1e400}}')).toEqual([['meta', 'number_out_of_range', {}]]);

    const store = (values: unknown) => code(client.post(`${path}/values`, { values }));
    expect(await store(undefined)).toEqual([['values', 'required', {}]]);
    expect(await store('x')).toEqual([['values', 'not_an_array', {}]]);
    expect(await store(Array(501).fill(0))).toEqual([['values', 'too_many', { max: 500 }]]);
    const id = { min: 1, max: 2_147_483_647 };
    const recordId = { min: 1, max: Number.MAX_SAFE_INTEGER };
    expect(
      await store([
        5,
        { field_id: 0, value: 5 },
        { value: 'x'.repeat(65_536) },
        { field_code: 5, entity_record_id: 'x' },
      ]),
    ).toEqual([
      ['values.0', 'not_an_object', {}],
      ['values.1.field_id', 'not_an_integer', id],
      ['values.1.value', 'not_a_string', {}],
      ['values.2.field_id', 'required', {}],
      ['values.2.value', 'too_long', { max: 65_535 }],
      ['values.3.field_code', 'not_a_string', {}],
      ['values.3.value', 'required', {}],
      ['values.3.entity_record_id', 'not_an_integer', recordId],
    ]);
  });

  it('for fields and records that do not belong to the submission', async () => {
    const { client, path, form, fields, uuid } = await draftOfDetails([
      { name: {}, age: {}, about: { type: 'heading' } },
    ]);
    const other = await draftOfDetails();
    const [foreign] = await buildRecords(use.database.dataSource, other.form.id, other.uuid, 1);
    const store = async (values: unknown) =>
      (
        (await client.post(`${path}/values`, { values })).body.errors as { field: string; code: string }[]
      ).map(({ field, code }) => [field, code]);
    const name = fields['name']!.id;
    expect(
      await store([
        { field_id: other.fields['name']!.id, value: '' },
        { field_code: 'none', value: '' },
        { field_id: name, field_code: 'age', value: '' },
        { field_code: 'about', value: '' },
      ]),
    ).toEqual([
      ['values.0.field_id', 'unknown_field'],
      ['values.1.field_code', 'unknown_field'],
      ['values.2.field_code', 'different_fields'],
      ['values.3.field_code', 'display_only'],
    ]);
    expect(await store([{ field_id: name, value: '', entity_record_id: foreign }])).toEqual([
      ['values.0.entity_record_id', 'unknown_record'],
    ]);
    expect([form.id, uuid]).not.toContain(undefined);
  });

  it('for strict completion, by the code of the field (S4)', async () => {
    await withServiceOn(use.database, { COMPLETION_POLICY: 'strict' }, async (service) => {
      const user = await newUser({ ...use, service });
      const built = await newDraft({ ...use, service }, [
        {
          name: { isRequired: true },
          age: { type: 'number' },
          email: { type: 'email' },
          born: { type: 'date' },
          colour: { type: 'select', options: ['red'] },
          likes: { type: 'checkbox', options: ['a'] },
          agrees: { type: 'checkbox' },
        },
      ]);
      const { uuid, path } = await createDraft(user.client, built);
      expect(uuid).toBeDefined();
      const values = Object.keys(built.fields)
        .slice(1)
        .map((field_code) => ({ field_code, value: '?' }));
      await user.client.post(`${path}/values`, { values });
      const answer = await user.client.patch(path, { status: 'completed' }, { Accept: DETAILS });
      expectDetails(answer, 'invalid_data', INVALID, [
        said('name', 'required', 'The name is required.'),
        said('age', 'not_a_number', 'The age must be a decimal number.'),
        said('email', 'not_an_email', 'The email must be an e-mail address.'),
        said('born', 'not_a_date', 'The born must be a date that exists, as YYYY-MM-DD.'),
        said('colour', 'not_an_option', 'The colour must be one of the options of the field.'),
        said('likes', 'not_an_option', 'The likes must be options of the field, separated by commas.'),
        said('agrees', 'not_a_boolean', 'The agrees must be true or false.'),
      ]);
    });
  });
});

describe('E11: other clients', () => {
  const texts = (path: string, headers: Record<string, string>) =>
    fetch(use.service.url + path, { headers }).then(async (response) => ({
      text: await response.text(),
      type: response.headers.get('content-type'),
      vary: response.headers.get('vary'),
    }));

  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/json, application/problem+json;q=0.9',
    'text/html,*/*;q=0.8',
  ])('get exactly the body of the specification: Accept: %s', async (accept) => {
    const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
    const plain = { type: 'application/json; charset=utf-8', vary: 'Accept' };
    expect(await texts('/api/v1/forms?page=0', headers)).toEqual({
      text: '{"message":"The given data was invalid.","errors":{"page":["The page must be an integer from 1 to 2147483647."]}}',
      ...plain,
    });
    expect(await texts(`/api/v1/submissions/${UUID}`, headers)).toEqual({
      text: '{"message":"Unauthenticated."}',
      ...plain,
    });
    expect(await texts('/nothing', headers)).toEqual({ text: '{"message":"Route not found."}', ...plain });
  });

  it('get the same successful responses, which do not vary by Accept', async () => {
    const { form } = await newDraft(use);
    const [plain, details] = [
      await texts(`/api/v1/forms/${form.uuid}`, {}),
      await texts(`/api/v1/forms/${form.uuid}`, { Accept: DETAILS }),
    ];
    expect(details).toEqual(plain);
    expect(plain.vary ?? '').not.toMatch(/\bAccept\b(?!-)/);
  });

  it('are kept apart by Vary: Origin, Accept if CORS is restricted', async () => {
    await withServiceOn(use.database, { CORS_ORIGINS: 'https://forms.example.org' }, async ({ anyone }) => {
      const answer = await anyone.get('/nothing', { Origin: 'https://forms.example.org', Accept: DETAILS });
      expect(answer.headers.get('vary')).toBe('Origin, Accept');
    });
  });
});
