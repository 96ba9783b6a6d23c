import * as problems from '../src/http/errors/problems.js';
import { presentProblemDetails } from '../src/http/errors/problem.presenter.js';
import { errorAtCompletion } from '../src/capabilities/files/file-checks.js';
import { tooManyFilesError } from '../src/capabilities/files/file-errors.js';
import { type Answer, type Client, client } from './support/client.js';
import { createDraft } from './support/drafts.js';
import { announcementOf, filesFolder, PDF, uploadFile } from './support/files.js';
import { type BuiltForm, buildEntity } from './support/forms.js';
import { onOneServer as describe } from './support/it-on-one-server.js';
import { bearer, newRespondent, publicForm } from './support/respondents.js';
import { newUser, useOwnService } from './support/service.js';
import { storageUnavailableProblem } from '../src/capabilities/files/problems.js';
import { proofOfWorkUnavailableProblem } from '../src/capabilities/respondents/problems.js';

const UNKNOWN = '01890000-0000-7000-8000-000000000001';
const DETAILS = { Accept: 'application/problem+json' };

/** Programs depend on codes (E10, E11). `test/e2e/problem-details.spec.ts` has the codes of the most common errors. */
describe('a problem has its code:', () => {
  const storage = filesFolder();
  const use = useOwnService({ FILES_URL: storage.url, CHALLENGE_KEY: Buffer.alloc(32).toString('base64') });
  afterAll(() => storage.remove());

  let built: BuiltForm;
  let plain: Client;
  let api: Client;
  let draft: string;

  const withDetails = (plainToken: string) => client(use.service.url, { ...bearer(plainToken), ...DETAILS });
  const query = (sql: string, ...values: unknown[]) => use.database.dataSource.query(sql, values);

  beforeAll(async () => {
    built = await publicForm(use, {
      form: { completion: 'strict' },
      steps: [
        {
          most: { type: 'number', rules: { max: '1' } },
          short: { rules: { min_length: '9' } },
          early: { type: 'date', rules: { min_date: '2026-01-02' } },
          late: { type: 'date', rules: { max_date: '2026-01-02' } },
          matched: { rules: { pattern: '[a-z]{1,90}x' } },
          tick: { type: 'checkbox' },
          name: {},
          cv: { type: 'file' },
          note: { isRepeatable: true },
        },
      ],
    });
    await buildEntity(use.database.dataSource, built, { name: 'item', isRepeatable: true }, ['note']);
    await buildEntity(use.database.dataSource, built, { name: 'other', isRepeatable: true }, []);
    const user = await newUser(use);
    plain = user.client;
    api = withDetails(user.plainToken);
    draft = (await createDraft(plain, built)).path;
  });

  const newDraft = () => createDraft(plain, built);
  const newRespondentClient = async () => withDetails((await newRespondent(use, built)).plainToken);
  const upload = (content: Buffer, more = {}) => uploadFile(plain, draft, content, more);
  const put = (file: string, content: Buffer, headers = {}) =>
    api.send('PUT', `${file}/content`, new Uint8Array(content), {
      'Content-Type': 'application/octet-stream',
      ...headers,
    });
  /** Creates an upload without content. */
  const announce = async (more = {}) => {
    const { body } = await plain.post(`${draft}/files`, announcementOf(PDF, more));
    return `${draft}/files/${body.data.uuid}`;
  };
  const committed = async () => {
    const file = await upload(PDF);
    expect((await plain.post(`${file}/commit`)).status).toBe(200);
    return file;
  };

  it.each<[string, () => Promise<Answer>]>([
    ['already_stored', async () => put(await committed(), PDF)],
    ['challenge_not_found', () => api.get(`/api/v1/forms/${built.form.uuid}/challenge`)],
    ['file_not_found', () => api.get(`${draft}/files/${UNKNOWN}`)],
    ['file_too_large', async () => put(await announce(), Buffer.concat([PDF, PDF]))],
    ['file_unavailable', async () => api.get(`${await announce()}/content`)],
    ['not_a_respondent', () => api.post('/api/v1/resume-codes')],
    [
      'partial_upload',
      async () => put(await announce(), PDF, { 'Content-Range': `bytes 0-9/${PDF.length}` }),
    ],
    ['range_not_satisfiable', async () => api.get(`${await committed()}/content`, { Range: 'bytes=999-' })],
    ['record_not_found', () => api.delete(`${draft}/records/1`)],
    ['version_not_found', () => api.get(`/api/v1/forms/${built.form.uuid}/schema?version=99`)],
    [
      'too_many_resume_codes',
      async () => {
        const respondent = await newRespondentClient();
        for (let code = 0; code < 5; code += 1) await respondent.post('/api/v1/resume-codes');
        return respondent.post('/api/v1/resume-codes');
      },
    ],
  ])('%s', async (code, request) => {
    expect((await request()).body).toMatchObject({ code });
  });

  // Requests with these problems are in other specs, which expect the message that the same function creates.
  it.each([
    ['headers_too_large', problems.headersTooLargeProblem(), 'The headers of the request are too large.'],
    ['idempotent_request_running', problems.idempotentRequestRunningProblem(), 'Idempotency-Key'],
    ['overloaded', problems.overloadedProblem('row'), 'Too many requests are waiting for data'],
    ['proof_of_work_unavailable', proofOfWorkUnavailableProblem(), 'which this service cannot check'],
    ['request_timeout', problems.requestTimeoutProblem(), 'The request took too long to arrive.'],
    ['storage_unavailable', storageUnavailableProblem(), 'storage'],
  ])('%s, with its message', (code, problem, message) => {
    expect(presentProblemDetails(problem)).toMatchObject({ code, detail: expect.stringContaining(message) });
  });

  const store = (...values: readonly object[]) => api.post(`${draft}/values`, { values });
  const errorsOf = ({ body }: Answer) =>
    (body.errors as { field: string; code: string }[]).map(({ code }) => code);

  it.each<[string, () => Promise<Answer>]>([
    ['hash_mismatch', async () => put(await announce({ sha256: '0'.repeat(64) }), PDF)],
    ['invalid_code', () => api.post('/api/v1/resume', { code: 'x' })],
    ['malformed_cursor', () => api.get('/api/v1/submissions?cursor=2')],
    [
      'not_explained_here',
      () => api.post(`${draft}/values?include=conditions&scope=records&explain=true`, { values: [] }),
    ],
    ['not_uploaded', async () => api.post(`${await announce()}/commit`)],
    ['size_mismatch', async () => put(await announce(), PDF.subarray(1))],
    ['unknown_entity', () => api.post(`${draft}/records`, { entity: 'x' })],
    ['unknown_file', () => store({ field_code: 'cv', value: `file:${UNKNOWN}` })],
    ['unknown_step', () => api.get(`${draft}/validation?step=9`)],
    [
      'invalid_proof',
      async () => {
        const { form } = await publicForm(use, { form: { proofOfWork: 1_000 } });
        return api.post('/api/v1/respondents', { form_uuid: form.uuid, proof: 'x' });
      },
    ],
    [
      'other_form',
      async () => {
        const { form } = await publicForm(use);
        return (await newRespondentClient()).post('/api/v1/submissions', { form_uuid: form.uuid });
      },
    ],
    [
      'too_many_drafts',
      async () => {
        const respondent = await newRespondentClient();
        const begin = () => respondent.post('/api/v1/submissions', { form_uuid: built.form.uuid });
        for (let drafts = 0; drafts < 5; drafts += 1) await begin();
        return begin();
      },
    ],
    [
      'too_many_records_in_all',
      async () => {
        const { path, uuid } = await newDraft();
        await addRecords(uuid, 200);
        return api.post(`${path}/records`, { entity: 'other' });
      },
    ],
    [
      'too_much_text',
      async () => {
        const { path, uuid } = await newDraft();
        await addRecords(uuid, 40, 'x'.repeat(52_428));
        return api.post(`${path}/values`, { values: [{ field_code: 'name', value: 'x'.repeat(60_000) }] });
      },
    ],
    [
      'too_much_stored',
      async () => {
        const { path, uuid } = await newDraft();
        await query(
          `insert into user_storage (user_id, text_bytes) select user_id, 64 * 1048576 from submissions where uuid = $1`,
          uuid,
        );
        const answer = await api.post(`${path}/values`, { values: [{ field_code: 'name', value: 'x' }] });
        await query('delete from user_storage');
        return answer;
      },
    ],
  ])('%s, of a field', async (code, request) => {
    expect(errorsOf(await request())).toEqual([code]);
  });

  /** Lets the service count the values of a draft, because SQL has added some. */
  const forgetCounts = (uuid: string) =>
    query('update submissions set value_count = null, value_bytes = null where uuid = $1', uuid);

  /** Adds records, each with the same note, to a draft. */
  const addRecords = async (uuid: string, count: number, note?: string) => {
    await forgetCounts(uuid);
    await query(
      `with record as (
         insert into entity_records (submission_uuid, form_id, entity_id)
         select $1, form_id, id from entities, generate_series(1, $3) where form_id = $2 and name = 'item' returning id
       ) insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
         select $1, $2, $4, true, id, $5 from record where $5::text is not null`,
      ...[uuid, built.form.id, count, built.fields['note']!.id, note ?? null],
    );
  };

  it('above_maximum, too_short, too_early, too_late and too_long_for_pattern, at completion', async () => {
    const { path } = await newDraft();
    const values = Object.entries({
      ...{
        most: '2',
        short: 'x',
        early: '2026-01-01',
        late: '2026-01-03',
        matched: 'a'.repeat(60_000),
        tick: 'x',
      },
    }).map(([field_code, value]) => ({ field_code, value }));
    expect((await plain.post(`${path}/values`, { values })).status).toBe(200);
    expect(errorsOf(await api.patch(path, { status: 'completed' }))).toEqual([
      ...['above_maximum', 'too_short', 'too_early', 'too_late', 'too_long_for_pattern', 'not_a_boolean'],
    ]);
  });

  it('file_not_stored, file_unchecked and too_many_files, of a field of files', async () => {
    const { path } = await newDraft();
    const { body } = await plain.post(`${path}/files`, announcementOf(PDF));
    const values = [{ field_code: 'cv', value: body.data.value }];
    expect(errorsOf(await api.post(`${path}/values`, { values }))).toEqual(['file_not_stored']);
    expect(errorAtCompletion('stored', 'cv', true)?.code).toBe('file_unchecked');
    expect(tooManyFilesError('cv').code).toBe('too_many_files');
  });

  it('too_much_to_explain and too_many_values, of many records', async () => {
    const conditions = Array.from({ length: 4 }, () => ['kind', 'equals', 'x'.repeat(200), 'show'] as const);
    const shown = (index: number) => [`shown-${index}`, { isRepeatable: true, conditions }];
    const fields = Object.fromEntries(Array.from({ length: 50 }, (_, index) => shown(index)));
    const form = await publicForm(use, {
      steps: [{ kind: {}, more: {}, ...fields }],
      entities: [{ name: 'item', isRepeatable: true, of: Object.keys(fields) }],
    });
    const { path, uuid } = await createDraft(plain, form);
    await query(
      `insert into entity_records (submission_uuid, form_id, entity_id)
       select $1, form_id, id from entities, generate_series(1, 200) where form_id = $2`,
      ...[uuid, form.form.id],
    );
    const store = (field_code: string) =>
      api.post(`${path}/values`, { values: [{ field_code, value: 'x'.repeat(200) }] });
    // Only conditions that are met are explained.
    expect((await store('kind')).status).toBe(200);
    const answer = await api.get(`${path}/conditions?scope=records&explain=true`);
    expect(errorsOf(answer)).toEqual(['too_much_to_explain']);

    await forgetCounts(uuid);
    await query(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
       select $1, $2, fields.id, true, record.id, '' from fields, entity_records record
        where fields.form_id = $2 and is_repeatable and record.submission_uuid = $1`,
      ...[uuid, form.form.id],
    );
    expect(errorsOf(await store('more'))).toEqual(['too_many_values']);
  });
});
