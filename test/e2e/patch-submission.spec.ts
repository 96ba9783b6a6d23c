import {
  asRead,
  etagOf,
  expectUnauthenticated,
  TIMESTAMP,
  withVersion,
  COMPLETED,
} from '../support/answers.js';
import { complete, stateOf } from '../support/draft-requests.js';
import { createDraft, type Draft } from '../support/drafts.js';
import { buildForm, type BuiltForm } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const KIBIBYTES_16 = 16 * 1024;

/** Returns an object whose JSON has exactly this many bytes. */
function metaOfBytes(bytes: number, character = 'x') {
  const room = bytes - Buffer.byteLength('{"pad":""}');
  const width = Buffer.byteLength(character);
  return { pad: character.repeat(Math.floor(room / width)) + 'x'.repeat(room % width) };
}

describe('PATCH /api/v1/submissions/{uuid}', () => {
  const use = useService();
  let built: BuiltForm;
  let user: Awaited<ReturnType<typeof newUser>>;
  beforeAll(async () => {
    built = await buildForm(use.database.dataSource, { steps: [{ name: { isRequired: true } }, {}] });
    user = await newUser(use);
  });

  /** Creates another draft of one user and form. */
  const begin = async (): Promise<Draft> => ({
    ...{ ...built, client: user.client, userId: user.id },
    ...(await createDraft(user.client, built)),
  });

  it('completes a draft and stores its meta in one call (S5, S6, S11), although a required field has no value (S4)', async () => {
    const { client, form, uuid, path } = await begin();
    const before = await client.get(path);

    const answer = await client.patch(path, { status: 'completed', meta: { source: 'app' } });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const data = {
      uuid,
      form_id: form.id,
      status: 'completed',
      current_step: 1,
      meta: { source: 'app' },
      created_at: before.body.data.created_at,
      updated_at: expect.stringMatching(TIMESTAMP),
    };
    expect(answer.body).toEqual(withVersion(data, form.version));
    expect(answer.body.data.updated_at > before.body.data.updated_at).toBe(true);
    const after = await client.get(path);
    expect(after.body).toEqual(withVersion(asRead(answer.body.data, form.version), form.version));
    expect(etagOf(answer)).toBe(etagOf(after));
    expect(etagOf(answer)).not.toBe(etagOf(before));
  });

  // `status` and `meta` are optional, and a request with one of them does not change the other (S5).
  it.each([
    { status: 'draft' },
    { status: 'completed' },
    { meta: { a: { d: 3 } } },
    { meta: null },
    { status: 'draft', meta: {} },
    { status: 'completed', meta: null },
  ])('applies %j to a draft with meta {"a":1} (S5, S6)', async (patch) => {
    const { client, form, path } = await begin();
    const before = await client.patch(path, { meta: { a: 1 } });

    const answer = await client.patch(path, patch);

    expect(answer.status).toBe(200);
    const { updated_at } = answer.body.data;
    expect(answer.body.data).toEqual({ ...before.body.data, ...patch, updated_at });
    expect(updated_at > before.body.data.updated_at).toBe(true);
    expect(etagOf(answer)).not.toBe(etagOf(before));
    expect((await client.get(path)).body.data).toEqual(asRead(answer.body.data, form.version));
  });

  it.each(['draft', 'completed'])(
    'returns the %s for {} and changes nothing, not even updated_at (S5)',
    async (status) => {
      const { client, form, path } = await begin();
      const before = await client.patch(path, { status, meta: { a: 1 } });

      for (const body of [
        ...['{}', '{"unknown":1,"current_step":2,"uuid":"x","form_id":0,"updated_at":null}'],
        // Text that PostgreSQL cannot store is ignored too (V10).
        '{"unknown":"a\\u0000b","\\udc00":1}',
      ]) {
        const answer = await client.send('PATCH', path, body);
        expect(answer.status).toBe(200);
        expect(answer.body).toEqual(before.body);
        expect(etagOf(answer)).toBe(etagOf(before));
      }
      expect((await client.get(path)).body.data).toEqual(asRead(before.body.data, form.version));
    },
  );

  it('rejects other values under the names of the properties, and stores nothing (S5, E1, V9, V10)', async () => {
    const draft = await begin();
    const before = await stateOf(draft);
    const rejects = async (body: string, ...names: string[]) => {
      expectInvalid(await draft.client.send('PATCH', draft.path, body), ...names);
      expect(await stateOf(draft)).toEqual(before);
    };
    for (const status of ['null', '1', '""', '"Completed"', '"draft "', '["draft"]', '"draft\\u0000"'])
      await rejects(`{"status":${status},"meta":{"a":1}}`, 'status');
    for (const meta of [
      ...['"text"', '0', 'false', '[]', '[{"a":1}]'],
      ...['{"a":[{"b":"x\\u0000y"}]}', '{"x\\u0000":1}', '{"__proto__":{"a":"\\u0000"}}'],
      ...['{"a":"\\ud83d"}', '{"\\ud800":1}', '{"a":1e400}'],
      JSON.stringify(metaOfBytes(KIBIBYTES_16 + 1, '💩')),
      JSON.stringify({ ['k'.repeat(KIBIBYTES_16)]: 1 }),
      JSON.stringify({ a: Array(KIBIBYTES_16).fill(0) }),
    ])
      await rejects(`{"status":"completed","meta":${meta}}`, 'meta');
    await rejects('{"status":1,"meta":1}', 'status', 'meta');
    for (const body of ['[]', '"text"', '1', 'null']) await rejects(body, 'body');
  });

  it.each([
    '{}',
    '{"a":null,"b":true,"c":false,"d":"","e":[],"f":{}}',
    '{"list":[1,[2,[3,[]]],{"a":[null]}],"deep":{"deep":{"deep":{"deep":{}}}}}',
    '{"constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":null,"length":3}',
    '{"__proto__":{"polluted":1},"a":{"__proto__":null,"b":[{"__proto__":[]}]}}',
    '{"":1," ":2,"a.b":3,"a b":4,"ä💩":"ö💩","\\ud83d\\udca9":"\\ud83d\\udca9"}',
    '{"zulu":1,"alpha":2,"mike":{"z":1,"a":2},"bravo":3}',
    '{"1":"one","02":"two","-3":"three"}',
    '{"int":0,"negative":-1,"fraction":0.1,"tiny":1e-7,"large":1e+21,"precise":9007199254740991,"max":1.7976931348623157e+308}',
    '{"text":"\\" \\\\ / \\b\\f\\n\\r\\t \\u0001 \\u001f \u007f \u2028 \u2029 \ufffd \uffff 💩"}',
    `{"status":"completed","meta":{"meta":null},"data":"'; drop table submissions; --"}`,
  ])('stores meta as given: %s', async (meta) => {
    const { client, path } = await begin();

    const answer = await client.send('PATCH', path, `{"meta":${meta}}`);

    expect(answer.status).toBe(200);
    // Compare the JSON texts, to include keys such as __proto__ and the order of keys.
    const given = JSON.stringify(JSON.parse(meta));
    expect(JSON.stringify(answer.body.data.meta)).toBe(given);
    expect(JSON.stringify((await client.get(path)).body.data.meta)).toBe(given);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it("accepts 16 KiB of meta as JSON, and does not count the client's escapes and white space (V9)", async () => {
    const { client, path } = await begin();
    const largest = metaOfBytes(KIBIBYTES_16, '💩');
    expect(Buffer.byteLength(JSON.stringify(largest))).toBe(KIBIBYTES_16);
    expect((await client.patch(path, { meta: largest })).body.data.meta).toEqual(largest);

    const text = 'é'.repeat(5_000);
    const escaped = text.replaceAll('é', '\\u00e9');
    const spaced = `{ "meta" : {${' '.repeat(20_000)}"a" : "${escaped}" } }`;
    expect((await client.send('PATCH', path, spaced)).body.data.meta).toEqual({ a: text });
  });

  describe('on a completed submission (S3)', () => {
    it.each([
      [{ status: 'completed' }, { a: 1 }],
      [{ status: 'completed', meta: { b: 2 } }, { b: 2 }],
      [{ meta: null }, null],
    ])('accepts %j, and meta is %j afterwards', async (patch, meta) => {
      const { client, path } = await begin();
      await client.post(`${path}/advance`);
      const completed = await client.patch(path, { status: 'completed', meta: { a: 1 } });
      expect(completed.body.data).toMatchObject({ status: 'completed', current_step: 2 });

      const answer = await client.patch(path, patch);

      expect(answer.status).toBe(200);
      const { updated_at } = answer.body.data;
      expect(answer.body).toEqual({ ...completed.body, data: { ...completed.body.data, meta, updated_at } });
      expect(updated_at > completed.body.data.updated_at).toBe(true);
    });

    it('rejects every other write and changes nothing', async () => {
      const draft = await begin();
      const { client, path } = draft;
      await complete(draft);
      const before = await stateOf(draft);

      for (const more of [{}, { meta: { b: 2 } }, { meta: null }])
        expectRefusal(await client.patch(path, { status: 'draft', ...more }), 422, COMPLETED);
      for (const values of [[{ field_code: 'name', value: 'x' }], []])
        expectRefusal(await client.post(`${path}/values`, { values }), 422, COMPLETED);
      expectRefusal(await client.post(`${path}/advance`), 422, COMPLETED);
      expectRefusal(await client.post(`${path}/retreat`), 422, COMPLETED);

      expect(await stateOf(draft)).toEqual(before);
    });
  });

  describe('with If-Match (S11)', () => {
    it('writes if the header is the current ETag, a list with it, or *', async () => {
      const { client, path } = await begin();
      for (const header of [
        (etag: string) => etag,
        () => '*',
        (etag: string) => `${etag},"other"`,
        (etag: string) => `W/"other" , "x" ,${etag}`,
      ]) {
        const before = etagOf(await client.get(path));
        const answer = await client.patch(path, { meta: { written: true } }, { 'If-Match': header(before) });
        expect([header('"…"'), answer.status]).toEqual([header('"…"'), 200]);
        expect(etagOf(answer)).not.toBe(before);
      }
    });

    it('returns 412 and writes nothing for any other header, even with the body {}', async () => {
      const draft = await begin();
      const { client, path } = draft;
      const old = etagOf(await client.get(path));
      await client.patch(path, { meta: { a: 1 } });
      const before = await client.get(path);
      const etag = etagOf(before);
      for (const header of [
        ...['"other"', `W/${etag}`, `"a", W/${etag}, "b"`, etag.slice(1, -1), '""', '"*"', old],
      ])
        for (const body of [{ status: 'completed', meta: { a: 2 } }, {}])
          expectRefusal(await client.patch(path, body, { 'If-Match': header }), 412);
      expect(await stateOf(draft)).toEqual(before.body.data);
      expect((await client.patch(path, {}, { 'If-Match': etag })).status).toBe(200);
    });

    it('applies to values, advance and retreat too, and a rejected request changes nothing', async () => {
      const draft = await begin();
      const { client, path } = draft;
      const ifMatch = (etag: string) => ({ 'If-Match': etag });
      const stale = ifMatch(etagOf(await client.get(path)));
      const values = { values: [{ field_code: 'name', value: 'x' }] };

      const stored = await client.post(`${path}/values`, values, stale);
      expect(stored.status).toBe(200);
      const advanced = await client.post(`${path}/advance`, {}, ifMatch(etagOf(stored)));
      expect(advanced.status).toBe(200);

      const before = await stateOf(draft);
      expectRefusal(await client.post(`${path}/values`, { values: [] }, stale), 412);
      expectRefusal(await client.post(`${path}/values`, values, stale), 412);
      expectRefusal(await client.post(`${path}/retreat`, {}, stale), 412);
      expectRefusal(await client.post(`${path}/advance`, {}, stale), 412);
      expect(await stateOf(draft)).toEqual(before);

      const retreated = await client.post(`${path}/retreat`, {}, ifMatch(etagOf(advanced)));
      expect([retreated.status, retreated.body.data.current_step]).toEqual([200, 1]);
    });
  });

  it.each([{ meta: { a: 1 } }, { status: 'completed' }])(
    'waits while another program has a completed submission locked, and then succeeds (S3): %j',
    async (changes) => {
      const { client, path, uuid } = await begin();
      await complete({ client, path });
      await asAnotherProgram(use.database.connection, async (program) => {
        await program.query('begin');
        await program.query('select from submissions where uuid = $1 for update', [uuid]);
        const patched = client.patch(path, changes);
        for (let reads = 0; reads < 5; reads += 1) expect((await client.get(path)).status).toBe(200);
        await program.query('commit');
        expect((await patched).status).toBe(200);
      });
    },
  );

  it('changes nothing without a valid token (A5)', async () => {
    const draft = await begin();
    const before = await stateOf(draft);
    expectUnauthenticated(await use.service.anyone.patch(draft.path, { status: 'completed' }));
    expect(await stateOf(draft)).toEqual(before);
  });
});
