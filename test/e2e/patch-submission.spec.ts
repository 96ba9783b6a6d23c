import { asRead, etagOf, expectUnauthenticated, TIMESTAMP, withVersion } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { type Draft, newDraft } from '../support/drafts.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { useService } from '../support/service.js';

const KIBIBYTES_16 = 16 * 1024;

/** Returns an object whose JSON has exactly this many bytes. */
function metaOfBytes(bytes: number, character = 'x') {
  const room = bytes - Buffer.byteLength('{"pad":""}');
  const width = Buffer.byteLength(character);
  return { pad: character.repeat(Math.floor(room / width)) + 'x'.repeat(room % width) };
}

describe('PATCH /api/v1/submissions/{uuid}', () => {
  const use = useService();

  /** Returns the whole submission, to check that nothing was written. */
  const stateOf = async ({ client, path }: Draft) => (await client.get(path)).body;

  const completedDraft = async () => {
    const draft = await newDraft(use, [{ name: {} }, {}]);
    expect((await draft.client.patch(draft.path, { status: 'completed' })).status).toBe(200);
    return draft;
  };

  it('completes a draft on its first step while a visible required field has no value (S4)', async () => {
    const { client, path } = await newDraft(use, [{ name: { isRequired: true } }, {}]);

    const answer = await client.patch(path, { status: 'completed' });

    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ status: 'completed', current_step: 1 });
  });

  it('completes a draft and stores its meta in one call (S5, S6, S11)', async () => {
    const { client, form, uuid, path } = await newDraft(use);
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
    [{ status: 'draft' }, { status: 'draft', meta: { a: 1 } }],
    [{ status: 'completed' }, { status: 'completed', meta: { a: 1 } }],
    [{ meta: { b: 2 } }, { status: 'draft', meta: { b: 2 } }],
    [{ meta: {} }, { status: 'draft', meta: {} }],
    [{ meta: null }, { status: 'draft', meta: null }],
    [
      { status: 'draft', meta: { b: 2 } },
      { status: 'draft', meta: { b: 2 } },
    ],
    [
      { status: 'draft', meta: null },
      { status: 'draft', meta: null },
    ],
    [
      { status: 'completed', meta: { b: 2 } },
      { status: 'completed', meta: { b: 2 } },
    ],
    [
      { status: 'completed', meta: null },
      { status: 'completed', meta: null },
    ],
  ])('turns a draft with meta {"a":1} by %j into %j (S5, S6)', async (patch, state) => {
    const { client, form, path } = await newDraft(use);
    const before = await client.patch(path, { meta: { a: 1 } });

    const answer = await client.patch(path, patch);

    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      ...before.body.data,
      ...state,
      updated_at: answer.body.data.updated_at,
    });
    expect(answer.body.data.updated_at > before.body.data.updated_at).toBe(true);
    expect(etagOf(answer)).not.toBe(etagOf(before));
    expect((await client.get(path)).body.data).toEqual(asRead(answer.body.data, form.version));
  });

  it.each(['draft', 'completed'])(
    'returns the %s for {} and changes nothing, not even updated_at (S5)',
    async (status) => {
      const { client, form, path } = await newDraft(use);
      const before = await client.patch(path, { status, meta: { a: 1 } });

      for (const body of ['{}', '{"unknown":1,"current_step":2,"uuid":"x","form_id":0,"updated_at":null}']) {
        const answer = await client.send('PATCH', path, body);
        expect(answer.status).toBe(200);
        expect(answer.body).toEqual(before.body);
        expect(etagOf(answer)).toBe(etagOf(before));
      }
      expect((await client.get(path)).body.data).toEqual(asRead(before.body.data, form.version));
    },
  );

  it.each([
    ['null', 'null'],
    ['a number', '1'],
    ['empty', '""'],
    ['in another letter case', '"Completed"'],
    ['unknown', '"archived"'],
    ['with white space', '"draft "'],
    ['an array', '["draft"]'],
    ['an object', '{"draft":true}'],
    ['true', 'true'],
    ['one with U+0000 (V10)', '"draft\\u0000"'],
    ['a lone surrogate (V10)', '"\\ud800"'],
  ])(
    'rejects a status that is %s, under status, and does not store the meta beside it (S5)',
    async (_, status) => {
      const draft = await newDraft(use);
      const before = await stateOf(draft);

      expectInvalid(
        await draft.client.send('PATCH', draft.path, `{"status":${status},"meta":{"a":1}}`),
        'status',
      );

      expect(await stateOf(draft)).toEqual(before);
    },
  );

  it.each([
    ['a string', '"text"'],
    ['a number', '0'],
    ['false', 'false'],
    ['an array', '[]'],
    ['an array of objects', '[{"a":1}]'],
  ])('rejects meta that is %s, under meta, and does not complete (S5)', async (_, meta) => {
    const draft = await newDraft(use);
    const before = await stateOf(draft);

    expectInvalid(
      await draft.client.send('PATCH', draft.path, `{"status":"completed","meta":${meta}}`),
      'meta',
    );

    expect(await stateOf(draft)).toEqual(before);
  });

  it('names both properties if both are invalid', async () => {
    const { client, path } = await newDraft(use);

    expectInvalid(await client.patch(path, { status: 1, meta: 1 }), 'status', 'meta');
  });

  it.each(['[]', '"text"', '1', 'true', 'null'])(
    'rejects the body %s, which is not an object, under body (E1)',
    async (body) => {
      const draft = await newDraft(use);
      const before = await stateOf(draft);

      expectInvalid(await draft.client.send('PATCH', draft.path, body), 'body');

      expect(await stateOf(draft)).toEqual(before);
    },
  );

  describe('stores meta as given', () => {
    it.each([
      '{}',
      '{"a":null,"b":true,"c":false,"d":"","e":[],"f":{}}',
      '{"list":[1,[2,[3,[]]],{"a":[null]}],"deep":{"deep":{"deep":{"deep":{}}}}}',
      '{"constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":null,"length":3}',
      '{"__proto__":{"polluted":1},"a":{"__proto__":null,"b":[{"__proto__":[]}]}}',
      '{"":1," ":2,"a.b":3,"a b":4,"ä💩":"ö💩"}',
      '{"zulu":1,"alpha":2,"mike":{"z":1,"a":2},"bravo":3}',
      '{"1":"one","02":"two","-3":"three"}',
      '{"int":0,"negative":-1,"fraction":0.1,"tiny":1e-7,"large":1e+21,"precise":9007199254740991,"max":1.7976931348623157e+308}',
      '{"text":"\\" \\\\ / \\b\\f\\n\\r\\t \\u0001 \\u001f \u007f \u2028 \u2029 \ufffd \uffff 💩"}',
      `{"status":"completed","meta":{"meta":null},"data":"'; drop table submissions; --"}`,
    ])('%s', async (meta) => {
      const { client, path } = await newDraft(use);

      const answer = await client.send('PATCH', path, `{"meta":${meta}}`);

      expect(answer.status).toBe(200);
      // Compare the JSON texts, to include keys such as __proto__ and the order of keys.
      const given = JSON.stringify(JSON.parse(meta));
      expect(JSON.stringify(answer.body.data.meta)).toBe(given);
      expect(JSON.stringify((await client.get(path)).body.data.meta)).toBe(given);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    });

    it('and replaces the previous meta without merging', async () => {
      const { client, path } = await newDraft(use);
      await client.patch(path, { meta: { a: { b: 1 }, c: 2 } });

      const answer = await client.patch(path, { meta: { a: { d: 3 } } });

      expect(answer.body.data.meta).toEqual({ a: { d: 3 } });
    });
  });

  describe('accepts at most 16 KiB of meta as JSON (V9)', () => {
    it.each([
      ['x', 'one byte each'],
      ['é', 'two bytes each'],
      ['€', 'three bytes each'],
      ['💩', 'four bytes each'],
    ])('in characters such as %s, %s', async (character) => {
      const draft = await newDraft(use);
      const largest = metaOfBytes(KIBIBYTES_16, character);
      expect(Buffer.byteLength(JSON.stringify(largest))).toBe(KIBIBYTES_16);

      const accepted = await draft.client.patch(draft.path, { meta: largest });
      expect(accepted.status).toBe(200);
      expect(accepted.body.data.meta).toEqual(largest);
      const before = await stateOf(draft);

      const tooLarge = { meta: metaOfBytes(KIBIBYTES_16 + 1, character), status: 'completed' };
      expectInvalid(await draft.client.patch(draft.path, tooLarge), 'meta');
      expect(await stateOf(draft)).toEqual(before);
    });

    it("and does not count the client's escapes and white space", async () => {
      const { client, path } = await newDraft(use);
      const text = 'é'.repeat(5_000);
      const escaped = text.replaceAll('é', '\\u00e9');

      const answer = await client.send(
        'PATCH',
        path,
        `{ "meta" : {${' '.repeat(20_000)}"a" : "${escaped}" } }`,
      );

      expect(answer.status).toBe(200);
      expect(answer.body.data.meta).toEqual({ a: text });
    });

    it('in keys, arrays and nested objects too', async () => {
      const { client, path } = await newDraft(use);

      expectInvalid(await client.patch(path, { meta: { ['k'.repeat(KIBIBYTES_16)]: 1 } }), 'meta');
      expectInvalid(await client.patch(path, { meta: { a: Array(KIBIBYTES_16).fill(0) } }), 'meta');
      expectInvalid(await client.patch(path, { meta: { a: { b: 'x'.repeat(900_000) } } }), 'meta');
    });
  });

  it.each([
    ['U+0000 in a string', '{"a":"x\\u0000y"}'],
    ['U+0000 in a key', '{"x\\u0000":1}'],
    ['U+0000 deep inside', '{"a":[{"b":[1,{"c":"\\u0000"}]}]}'],
    ['U+0000 in a key deep inside', '{"a":[{"\\u0000":null}]}'],
    ['U+0000 under __proto__', '{"__proto__":{"a":"\\u0000"}}'],
    ['a lone high surrogate', '{"a":"\\ud83d"}'],
    ['a lone low surrogate', '{"a":"\\udca9"}'],
    ['surrogates the wrong way round', '{"a":"\\udca9\\ud83d"}'],
    ['a lone surrogate in a key', '{"\\ud800":1}'],
    ['a lone surrogate deep inside', '{"a":{"b":["x\\ud800y"]}}'],
    ['a number beyond every range', '{"a":1e400}'],
  ])('rejects meta with %s, under meta (V10)', async (_, meta) => {
    const draft = await newDraft(use);
    const before = await stateOf(draft);

    expectInvalid(
      await draft.client.send('PATCH', draft.path, `{"status":"completed","meta":${meta}}`),
      'meta',
    );

    expect(await stateOf(draft)).toEqual(before);
  });

  it('accepts an escaped surrogate pair as one character (V10)', async () => {
    const { client, path } = await newDraft(use);

    const answer = await client.send('PATCH', path, '{"meta":{"\\ud83d\\udca9":"\\ud83d\\udca9"}}');

    expect(answer.body.data.meta).toEqual({ '💩': '💩' });
  });

  describe('on a completed submission (S3)', () => {
    it.each([
      [{ status: 'completed' }, { a: 1 }],
      [{ status: 'completed', meta: { b: 2 } }, { b: 2 }],
      [{ status: 'completed', meta: null }, null],
      [{ meta: { b: 2 } }, { b: 2 }],
    ])('accepts %j, and meta is %j afterwards', async (patch, meta) => {
      const { client, path } = await newDraft(use);
      const completed = await client.patch(path, { status: 'completed', meta: { a: 1 } });

      const answer = await client.patch(path, patch);

      expect(answer.status).toBe(200);
      const { updated_at } = answer.body.data;
      expect(answer.body).toEqual({ ...completed.body, data: { ...completed.body.data, meta, updated_at } });
      expect(updated_at > completed.body.data.updated_at).toBe(true);
    });

    it.each([{ status: 'draft' }, { status: 'draft', meta: { b: 2 } }, { status: 'draft', meta: null }])(
      'rejects %j and changes nothing',
      async (patch) => {
        const draft = await completedDraft();
        const before = await stateOf(draft);

        const answer = await draft.client.patch(draft.path, patch);

        expectRefusal(answer, 422, { message: 'The submission is already completed.' });
        expect(await stateOf(draft)).toEqual(before);
      },
    );

    it('rejects every other write and changes nothing', async () => {
      const draft = await completedDraft();
      const { client, path, fields } = draft;
      const before = await stateOf(draft);
      const completed = { message: 'The submission is already completed.' };

      const values = [{ field_id: fields['name']?.id, value: 'x' }];
      expectRefusal(await client.post(`${path}/values`, { values }), 422, completed);
      expectRefusal(await client.post(`${path}/advance`), 422, completed);
      expectRefusal(await client.post(`${path}/retreat`), 422, completed);

      expect(await stateOf(draft)).toEqual(before);
    });
  });

  it('completes from any step, even if required fields have no values', async () => {
    const { client, path } = await newDraft(use, [
      { a: { isRequired: true } },
      {},
      { b: { isRequired: true } },
    ]);
    await client.post(`${path}/advance`);

    const answer = await client.patch(path, { status: 'completed' });

    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ status: 'completed', current_step: 2 });
  });

  describe('with If-Match (S11)', () => {
    const patch = (
      draft: Draft,
      ifMatch: string,
      body: object = { meta: { written: true } },
    ): Promise<Answer> => draft.client.patch(draft.path, body, { 'If-Match': ifMatch });

    it('writes if the header is the current ETag, a list with it, or *', async () => {
      const draft = await newDraft(use);

      for (const header of [
        (etag: string) => etag,
        () => '*',
        (etag: string) => `"other", ${etag}`,
        (etag: string) => `${etag},"other"`,
        (etag: string) => `W/"other" , "x" ,${etag}`,
      ]) {
        const before = await draft.client.get(draft.path);
        const answer = await patch(draft, header(etagOf(before)));
        expect([header('"…"'), answer.status]).toEqual([header('"…"'), 200]);
        expect(etagOf(answer)).not.toBe(etagOf(before));
      }
    });

    it.each([
      ['another ETag', () => '"other"'],
      ['a weak ETag, which never matches', (etag: string) => `W/${etag}`],
      ['a list without the current ETag', (etag: string) => `"a", W/${etag}, "b"`],
      ['an ETag without quotes', (etag: string) => etag.slice(1, -1)],
      ['an empty ETag', () => '""'],
      ['a star in quotes', () => '"*"'],
    ])('returns 412 and writes nothing for %s', async (_, header) => {
      const draft = await newDraft(use);
      const before = await draft.client.get(draft.path);

      const answer = await patch(draft, header(etagOf(before)), { status: 'completed', meta: { a: 1 } });

      expectRefusal(answer, 412);
      expect(await stateOf(draft)).toEqual(before.body);
    });

    it('returns 412 for the ETag of an earlier state, even with the body {}', async () => {
      const draft = await newDraft(use);
      const before = await draft.client.get(draft.path);
      await draft.client.patch(draft.path, { meta: { a: 1 } });
      const after = await stateOf(draft);

      expectRefusal(await patch(draft, etagOf(before)), 412);
      expectRefusal(await patch(draft, etagOf(before), {}), 412);
      expectRefusal(await patch(draft, etagOf(before), { status: 'completed' }), 412);

      expect(await stateOf(draft)).toEqual(after);
      const current = await draft.client.get(draft.path);
      expect((await patch(draft, etagOf(current), {})).status).toBe(200);
      expect((await patch(draft, etagOf(current))).status).toBe(200);
    });

    it('applies to values, advance and retreat too, and a rejected request changes nothing', async () => {
      const draft = await newDraft(use, [{ name: {} }, {}]);
      const { client, path, fields } = draft;
      const stale = { 'If-Match': etagOf(await client.get(path)) };
      const values = { values: [{ field_id: fields['name']?.id, value: 'x' }] };

      const stored = await client.post(`${path}/values`, values, stale);
      expect(stored.status).toBe(200);
      const advanced = await client.post(`${path}/advance`, {}, { 'If-Match': etagOf(stored) });
      expect(advanced.status).toBe(200);

      const before = await stateOf(draft);
      expectRefusal(await client.post(`${path}/values`, { values: [] }, stale), 412);
      expectRefusal(await client.post(`${path}/values`, values, stale), 412);
      expectRefusal(await client.post(`${path}/retreat`, {}, stale), 412);
      expectRefusal(await client.post(`${path}/advance`, {}, stale), 412);
      expect(await stateOf(draft)).toEqual(before);

      const retreated = await client.post(`${path}/retreat`, {}, { 'If-Match': etagOf(advanced) });
      expect(retreated.status).toBe(200);
      expect(retreated.body.data.current_step).toBe(1);
    });

    it('is not checked if the header is missing', async () => {
      const { client, path } = await newDraft(use);

      expect((await client.patch(path, { meta: { a: 1 } })).status).toBe(200);
      expect((await client.patch(path, { meta: { a: 2 } })).status).toBe(200);
    });
  });

  it('changes nothing without a valid token (A5)', async () => {
    const draft = await newDraft(use);
    const before = await stateOf(draft);

    expectUnauthenticated(await use.service.anyone.patch(draft.path, { status: 'completed' }));

    expect(await stateOf(draft)).toEqual(before);
  });
});
