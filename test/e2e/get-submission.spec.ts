import { issueToken } from '../../src/entities.js';
import { etagOf, TIMESTAMP, withVersion } from '../support/answers.js';
import { client as clientOf } from '../support/client.js';
import { newDraft } from '../support/drafts.js';
import { buildRecords } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';

const PATH = '/api/v1/submissions';

describe('GET /api/v1/submissions/{uuid}', () => {
  const use = useService();

  it('returns a new submission as it was created, without values (S11)', async () => {
    const { client, form } = await newDraft(use);
    const created = await client.post(PATH, { form_uuid: form.uuid });

    const answer = await client.get(`${PATH}/${created.body.data.uuid}`);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(etagOf(answer)).toBe(etagOf(created));
    expect(answer.body).toEqual(withVersion({ ...created.body.data, values: [], records: [] }, form.version));
  });

  it('returns a whole submission, with its values sorted by field and then by record, null first (V12)', async () => {
    const { client, form, fields, uuid, path } = await newDraft(use, [
      { zeta: { isRepeatable: true }, alpha: {}, mid: { isRepeatable: true } },
      { beta: {} },
    ]);
    const records = await buildRecords(use.database.dataSource, form.id, uuid, 3);
    const [first, second, third] = records;
    const id = (code: string) => fields[code]!.id;
    await client.post(`${path}/values`, {
      values: [
        { field_id: id('beta'), value: '' },
        { field_id: id('mid'), value: 'm3', entity_record_id: third },
        { field_id: id('zeta'), value: 'z2', entity_record_id: second },
        { field_id: id('mid'), value: 'm' },
        { field_id: id('alpha'), value: 'ä "quoted" \\ 💩\n\t\u2028', entity_record_id: second },
        { field_id: id('zeta'), value: 'z' },
        { field_id: id('zeta'), value: 'z3', entity_record_id: third },
        { field_id: id('zeta'), value: 'z1', entity_record_id: first },
      ],
    });
    await client.post(`${path}/advance`);
    const patched = await client.patch(path, { status: 'completed', meta: { source: 'app' } });

    const answer = await client.get(path);

    const value = (code: string, text: string, record: number | null = null) => ({
      field_id: id(code),
      field_code: code,
      value: text,
      entity_record_id: record,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        uuid,
        form_id: form.id,
        status: 'completed',
        current_step: 2,
        meta: { source: 'app' },
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: patched.body.data.updated_at,
        is_test: false,
        begun_version: form.version,
        completed_version: patched.body.form_version,
        locale: null,
        anonymized_at: null,
        values: [
          value('zeta', 'z'),
          value('zeta', 'z1', first),
          value('zeta', 'z2', second),
          value('zeta', 'z3', third),
          value('alpha', 'ä "quoted" \\ 💩\n\t\u2028', second ?? null),
          value('mid', 'm'),
          value('mid', 'm3', third),
          value('beta', ''),
        ],
        records: records.map((id) => ({
          id,
          entity: expect.any(String),
          created_at: expect.stringMatching(TIMESTAMP),
        })),
      },
      form_version: patched.body.form_version,
    });
    // Creating an entity has changed the form.
    expect(patched.body.form_version).toBe(form.version + 1);
    expect(etagOf(answer)).toBe(etagOf(patched));
  });

  it('returns timestamps in UTC to the microsecond', async () => {
    const { client, uuid, path } = await newDraft(use);
    await use.database.dataSource.query(
      `update submissions set created_at = '2024-02-29 23:59:59.000001+02', updated_at = '2025-01-01Z' where uuid = $1`,
      [uuid],
    );

    const { body } = await client.get(path);

    expect(body.data).toMatchObject({
      created_at: '2024-02-29T21:59:59.000001Z',
      updated_at: '2025-01-01T00:00:00.000000Z',
    });
  });

  it('returns a new ETag after every write, and the same ETag without one (S11)', async () => {
    const { client, path } = await newDraft(use, [{ name: {} }, {}]);
    const seen = [etagOf(await client.get(path))];
    expect(etagOf(await client.get(path))).toBe(seen[0]);
    const values = { values: [{ field_code: 'name', value: 'x' }] };

    for (const write of [
      () => client.patch(path, { meta: { a: 1 } }),
      () => client.post(`${path}/values`, values),
      () => client.post(`${path}/values`, values),
      () => client.post(`${path}/advance`),
      () => client.post(`${path}/retreat`),
      () => client.patch(path, { status: 'completed' }),
    ]) {
      const written = await write();
      const etag = etagOf(await client.get(path));
      expect([written.status, etagOf(written)]).toEqual([200, etag]);
      expect(seen).not.toContain(etag);
      seen.push(etag);
    }
  });

  it('returns values under the current codes of their fields', async () => {
    const { client, fields, path } = await newDraft(use);
    await client.post(`${path}/values`, { values: [{ field_code: 'name', value: 'Ada' }] });
    const rename = `update fields set code = 'full_name' where id = $1`;
    await use.service.hearing(() => use.database.dataSource.query(rename, [fields['name']!.id]));
    expect((await client.get(path)).body.data.values[0].field_code).toBe('full_name');
  });

  it('returns the submission for another token of the user (S1), and a UUID in any letter case (F6)', async () => {
    const { userId, client, uuid, path } = await newDraft(use);
    const { plainToken } = await issueToken(use.database.dataSource.manager, { userId, name: 'phone' });
    const otherDevice = clientOf(use.service.url, { Authorization: `Bearer ${plainToken}` });
    const { status, body } = await otherDevice.get(`${PATH}/${uuid.toUpperCase()}`);
    expect([status, body]).toEqual([200, (await client.get(path)).body]);
  });

  it.each(['abc', '%00', '%20', '00000000-0000-0000-0000-00000000000g', '__proto__', 'a'.repeat(1_001)])(
    'returns 404 for the malformed UUID %.40s (F6)',
    async (uuid) => {
      const { client } = await newUser(use);
      const path = `${PATH}/${uuid}`;
      for (const answer of [
        await client.get(path),
        await client.get(`${path}/conditions`),
        await client.patch(path, {}),
        await client.post(`${path}/values`, { values: [] }),
        await client.post(`${path}/advance`),
        await client.post(`${path}/retreat`),
      ])
        expectRefusal(answer, 404);
    },
  );
});
