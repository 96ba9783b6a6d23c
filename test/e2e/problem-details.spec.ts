import { Form, issueToken } from '../../src/entities.js';
import { allProblems } from '../../src/server/catalogue.js';
import { type Answer, client } from '../support/client.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { complete, entriesOf } from '../support/draft-requests.js';
import { type Draft, newDraft } from '../support/drafts.js';
import { buildRecords, type FieldPlan } from '../support/forms.js';
import { inOwnDatabase } from '../support/own-database.js';
import { readRaw, sendHttp, sendRaw } from '../support/raw.js';
import { secretsIn } from '../support/refusal.js';
import { useService, withServiceOn } from '../support/service.js';

const PROBLEMS = allProblems();

const UUID = '01890000-0000-7000-8000-000000000001';
const DETAILS = 'application/problem+json';
const TYPES = 'https://github.com/formtrail/formtrail/blob/main/docs/contract.md#';
const INVALID = 'The given data was invalid.';

const use = useService();

/** Creates a draft, with a client of the draft's user that accepts problem details. */
async function draftOfDetails(steps?: Record<string, FieldPlan>[]): Promise<Draft> {
  const draft = await newDraft(use, steps);
  const { plainToken } = await issueToken(use.database.dataSource.manager, { userId: draft.userId });
  return {
    ...draft,
    client: client(use.service.url, { Authorization: `Bearer ${plainToken}`, Accept: DETAILS }),
  };
}

/** Expects exactly the problem details that `PROBLEMS` has for this code, with `errors` only if `errors` is given. */
function expectDetails(answer: Answer, code: string, detail: unknown, errors?: object[]) {
  const { status, title } = PROBLEMS[code]!;
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: { type: TYPES + code, title, status, detail, code, ...(errors && { errors }) },
  });
  expect(answer.headers.get('content-type')).toBe(DETAILS);
  expect(answer.headers.get('vary')).toMatch(/\bAccept$/);
  expect(secretsIn(answer.body)).toEqual([]);
}

const said = (field: string, code: string, detail: unknown, params: object = {}) => ({
  field,
  code,
  detail,
  params,
});

describe('E11: errors as problem details (RFC 9457)', () => {
  let draft: Draft;
  let send: (path: string, method?: string, headers?: Record<string, string>) => Promise<Answer>;
  let patch: (text: string, headers?: Record<string, string>) => Promise<Answer>;
  beforeAll(async () => {
    draft = await draftOfDetails();
    send = (path, method = 'GET', headers = {}) =>
      sendHttp(use.service.url, path, { method, headers: { Accept: DETAILS, ...headers } });
    patch = (text, headers) => draft.client.send('PATCH', draft.path, text, headers);
  });
  const expectRaw = async (head: string) => {
    const { status, headers, body } = readRaw(await sendRaw(use.service.url, head));
    return { status, headers, body: JSON.parse(body) as unknown };
  };

  it.each<[code: string, detail: RegExp | string, request: () => Promise<Answer>]>([
    ['malformed_json', /^The request body is not valid JSON: /, () => patch('{')],
    ['body_too_deep', 'The request body is nested deeper than 64 levels.', () => patch('['.repeat(65))],
    ['malformed_url', 'The URL is malformed: check its percent-escapes.', () => send('/api/v1/forms/%ff')],
    ['malformed_request', 'The request is malformed.', () => send('/nothing', 'GET', { Host: 'a b' })],
    ['unauthenticated', 'Unauthenticated.', () => send(`/api/v1/submissions/${UUID}`)],
    ['form_not_found', 'Form not found.', () => send(`/api/v1/forms/${UUID}`)],
    ['form_not_found', 'Form not found.', () => send('/api/v1/forms/none/by-slug')],
    ['submission_not_found', 'Submission not found.', () => draft.client.get(`/api/v1/submissions/${UUID}`)],
    ['submission_not_found', 'Submission not found.', () => draft.client.get('/api/v1/submissions/none')],
    ['route_not_found', 'Route not found.', () => send('/api/v1')],
    ['route_not_found', 'Route not found.', () => send('/docs/nothing')],
    ['route_not_found', 'Route not found.', () => send('/api/v1/forms', 'PUT')],
    ['route_not_found', 'Route not found.', () => send('/api/v1/forms', 'PROPFIND')],
    ['submission_changed', /has changed since/, () => patch('{}', { 'If-Match': '"an older one"' })],
    ['body_too_large', 'The request body is larger than 1 MiB.', () => patch('x'.repeat(2 ** 20 + 1))],
    [
      'body_too_many_values',
      'The request body has more than 20000 values, objects and arrays included.',
      () => patch(`[${'0,'.repeat(20_000)}0]`),
    ],
    ['body_not_json', /must be JSON/, () => patch('x', { 'Content-Type': 'text/plain' })],
    ['body_compressed', /must not be compressed/, () => patch('x', { 'Content-Encoding': 'gzip' })],
    [
      'unknown_expectation',
      /The Expect header/,
      () =>
        expectRaw(
          `GET /api/v1/forms HTTP/1.1\r\nHost: x\r\nAccept: ${DETAILS}\r\nExpect: x\r\nConnection: close\r\n\r\n`,
        ),
    ],
    ['already_on_first_step', 'Already on the first step.', () => draft.client.post(`${draft.path}/retreat`)],
    ['already_on_last_step', 'Already on the last step.', () => draft.client.post(`${draft.path}/advance`)],
  ])('%s: %s', async (code, detail, request) => {
    const expected = typeof detail === 'string' ? detail : (expect.stringMatching(detail) as unknown);
    expectDetails(await request(), code, expected);
  });

  it('have the headers of other errors, and HEAD has no body', async () => {
    expect((await send(`/api/v1/submissions/${UUID}`)).headers.get('www-authenticate')).toBe('Bearer');
    expect((await send('/api/v1/nothing')).headers.get('cache-control')).toBe('no-store');
    const coded = await patch('x', { 'Content-Encoding': 'gzip' });
    expect(coded.headers.get('accept-encoding')).toBe('identity');
    const { status, headers, body } = await send(`/api/v1/forms/${UUID}`, 'HEAD');
    expect([status, headers.get('content-type'), body]).toEqual([404, DETAILS, undefined]);
  });

  it('429, with Retry-After', async () => {
    await withServiceOn(use.database, { THROTTLE_LIMIT: '1' }, async ({ anyone }) => {
      await anyone.get('/api/v1/forms');
      const answer = await anyone.get('/api/v1/forms', { Accept: DETAILS });
      const seconds = answer.headers.get('retry-after');
      expect(seconds).toMatch(/^[1-9]\d*$/);
      const detail = `Too many requests. Try again in ${seconds} ${seconds === '1' ? 'second' : 'seconds'}.`;
      expectDetails(answer, 'too_many_requests', detail);
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
});

describe('E11: 422 with a list of errors', () => {
  it('lists none if the submission is completed', async () => {
    const draft = await draftOfDetails();
    await complete(draft);
    const again = await draft.client.post(`${draft.path}/advance`);
    expectDetails(again, 'already_completed', 'The submission is already completed.');
  });

  it('for a query', async () => {
    const answer = await use.service.anyone.get('/api/v1/forms?page=0&per_page=101', { Accept: DETAILS });
    const range = 'must be an integer from 1 to';
    expectDetails(answer, 'invalid_data', INVALID, [
      said('page', 'not_an_integer', `The page ${range} 2147483647.`, { min: 1, max: 2_147_483_647 }),
      said('per_page', 'not_an_integer', `The per_page ${range} 100.`, { min: 1, max: 100 }),
    ]);
    const { client, path } = await draftOfDetails();
    expectDetails(await client.get(`${path}/conditions?shape=tree&explain=1`), 'invalid_data', INVALID, [
      said('explain', 'not_allowed', 'The parameter `explain` must be true or false.', {
        allowed: ['true', 'false'],
      }),
      said('shape', 'not_allowed', 'The parameter `shape` must be map or list.', {
        allowed: ['map', 'list'],
      }),
    ]);
  });

  it('for a header', async () => {
    const { client, path, form } = await draftOfDetails();
    const create = (key: string) =>
      client.post('/api/v1/submissions', { form_uuid: form.uuid }, { 'Idempotency-Key': key });
    expectDetails(await create('é'), 'invalid_data', INVALID, [
      said('Idempotency-Key', 'malformed_key', expect.stringContaining('printable'), { max: 255 }),
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

    const storeAll = (values: unknown) => code(client.post(`${path}/values`, { values }));
    expect(await storeAll(undefined)).toEqual([['values', 'required', {}]]);
    expect(await storeAll('x')).toEqual([['values', 'not_an_array', {}]]);
    expect(await storeAll(Array(501).fill(0))).toEqual([['values', 'too_many', { max: 500 }]]);
    const id = { min: 1, max: 2_147_483_647 };
    const recordId = { min: 1, max: Number.MAX_SAFE_INTEGER };
    expect(
      await storeAll([
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
    const { client, path, fields } = await draftOfDetails([
      { name: {}, age: {}, about: { type: 'heading' } },
    ]);
    const other = await draftOfDetails();
    const [foreign] = await buildRecords(use.database.dataSource, other.form.id, other.uuid, 1);
    const codes = async (values: unknown) => {
      const { errors } = (await client.post(`${path}/values`, { values })).body;
      return errors.map(({ field, code }: Record<string, string>) => [field, code]);
    };
    const name = fields['name']!.id;
    expect(
      await codes([
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
    const ofRecord = ['values.0.entity_record_id', 'unknown_record'];
    expect(await codes(entriesOf({ name: '' }, foreign))).toEqual([ofRecord]);
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
  ])('get exactly the body without codes: Accept: %s', async (accept) => {
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
