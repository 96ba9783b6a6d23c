import { EntityRecord, FieldType, SubmissionValue } from '../../src/entities.js';
import { etagOf, expectUnauthenticated, withVersion } from '../support/answers.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { buildForm, buildRecords } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';

const MAX_CHARACTERS = 65_535;
const UNKNOWN_ID = 2_147_483_647;

interface Entry {
  field_id?: unknown;
  field_code?: unknown;
  value?: unknown;
  entity_record_id?: unknown;
}

describe('POST /api/v1/submissions/{uuid}/values', () => {
  const use = useService({ FILES_URL: '' });

  const store = ({ client, path }: Draft, ...values: Entry[]) => client.post(`${path}/values`, { values });
  const storeText = ({ client, path }: Draft, text: string) => client.send('POST', `${path}/values`, text);
  const stateOf = async ({ client, path }: Draft) => (await client.get(path)).body;
  const storedIn = async (draft: Draft) => (await stateOf(draft)).data.values;
  const idOf = ({ fields }: Draft, code = 'name') => fields[code]!.id;
  const stored = (draft: Draft, code: string, value: string, record: number | null = null) => ({
    field_id: idOf(draft, code),
    field_code: code,
    value,
    entity_record_id: record,
  });
  const recordsOf = ({ form, uuid }: Draft, count: number) =>
    buildRecords(use.database.dataSource, form.id, uuid, count);
  /** Creates a draft with records, a field for a single value, and a field for a value per record. */
  const withRecords = async (count: number) => {
    const draft = await newDraft(use, [{ name: {}, expense: { isRepeatable: true } }]);
    return { draft, records: await recordsOf(draft, count) };
  };

  it('stores values of several fields and returns them in the order sent; a read returns them sorted (V12)', async () => {
    const draft = await newDraft(use, [
      { name: {}, email: { type: 'email' } },
      { about: { type: 'textarea' } },
    ]);
    const before = await draft.client.get(draft.path);

    const answer = await store(
      draft,
      { field_id: idOf(draft, 'about'), value: 'Ünï 💩\n"quoted" \\ \u2028' },
      { field_code: 'email', value: 'ada@example.org', entity_record_id: null },
      { field_id: idOf(draft, 'name'), field_code: 'name', value: ' Ada ' },
    );

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual(
      withVersion([
        stored(draft, 'about', 'Ünï 💩\n"quoted" \\ \u2028'),
        stored(draft, 'email', 'ada@example.org'),
        stored(draft, 'name', ' Ada '),
      ]),
    );
    const after = await draft.client.get(draft.path);
    expect(after.body.data).toEqual({
      ...before.body.data,
      updated_at: after.body.data.updated_at,
      values: [
        stored(draft, 'name', ' Ada '),
        stored(draft, 'email', 'ada@example.org'),
        stored(draft, 'about', 'Ünï 💩\n"quoted" \\ \u2028'),
      ],
    });
  });

  it('moves updated_at and the ETag forward on every call (S6, S11)', async () => {
    const draft = await newDraft(use);
    const seen = [(await stateOf(draft)).data.updated_at];

    for (const value of ['Ada', 'Ada', '']) {
      await store(draft, { field_id: idOf(draft), value });
      const { headers, body } = await draft.client.get(draft.path);
      expect(body.data.updated_at > seen.at(-1)).toBe(true);
      expect(headers.get('etag')).toContain(body.data.updated_at);
      seen.push(body.data.updated_at);
    }
  });

  describe('naming the field (V1)', () => {
    it.each([
      ['its id', (draft: Draft) => ({ field_id: idOf(draft) })],
      ['its code', () => ({ field_code: 'name' })],
      ['both if they agree', (draft: Draft) => ({ field_id: idOf(draft), field_code: 'name' })],
    ])('accepts %s', async (_, name) => {
      const draft = await newDraft(use);

      const answer = await store(draft, { ...name(draft), value: 'Ada' });

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(withVersion([stored(draft, 'name', 'Ada')]));
      expect(await storedIn(draft)).toEqual([stored(draft, 'name', 'Ada')]);
    });

    it('rejects both if they name different fields', async () => {
      const draft = await newDraft(use, [{ name: {}, other: {} }]);
      const before = await stateOf(draft);

      const answer = await store(draft, { field_id: idOf(draft), field_code: 'other', value: 'x' });

      expect(answer.status).toBe(422);
      expect(answer.body.message).toBe('The given data was invalid.');
      expect(Object.keys(answer.body.errors)).toEqual([
        expect.stringMatching(/^values\.0\.field_(id|code)$/),
      ]);
      expect(await stateOf(draft)).toEqual(before);
    });

    it('rejects an entry with neither', async () => {
      const draft = await newDraft(use);

      expectInvalid(await store(draft, { value: 'x' }), 'values.0.field_id');
      expectInvalid(
        await storeText(draft, '{"values":[{"__proto__":{"field_id":1},"value":"x"}]}'),
        'values.0.field_id',
      );
    });

    it.each([
      '0',
      '-1',
      '1.5',
      '2147483648',
      '9007199254740993',
      '1e300',
      '"1"',
      'null',
      'true',
      '[]',
      '[1]',
      '{}',
      '""',
    ])('rejects the field_id %s (V10)', async (id) => {
      const draft = await newDraft(use);
      const before = await stateOf(draft);

      expectInvalid(
        await storeText(draft, `{"values":[{"field_id":${id},"value":"x"}]}`),
        'values.0.field_id',
      );

      expect(await stateOf(draft)).toEqual(before);
    });

    it.each([
      '1',
      'null',
      'true',
      '[]',
      '["name"]',
      '{}',
      '""',
      '"Name"',
      '"name "',
      '"name\\u0000"',
      '"\\ud800"',
      '"__proto__"',
      '"constructor"',
    ])('rejects the field_code %s (V2, V10)', async (code) => {
      const draft = await newDraft(use);
      const before = await stateOf(draft);

      expectInvalid(
        await storeText(draft, `{"values":[{"field_code":${code},"value":"x"}]}`),
        'values.0.field_code',
      );

      expect(await stateOf(draft)).toEqual(before);
    });

    it('finds fields whose codes are names of JavaScript properties', async () => {
      const codes = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'length'];
      const draft = await newDraft(use, [Object.fromEntries(codes.map((code) => [code, {}]))]);

      const answer = await store(draft, ...codes.map((code) => ({ field_code: code, value: code })));

      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual(codes.map((code) => stored(draft, code, code)));
    });
  });

  describe('a field that the form does not have (V2)', () => {
    it('is rejected with 422 under the property that names it, and nothing is stored', async () => {
      const draft = await newDraft(use);
      const { fields: ofAnother } = await buildForm(use.database.dataSource, { steps: [{ elsewhere: {} }] });
      const before = await stateOf(draft);
      const good = { field_id: idOf(draft), value: 'x' };

      for (const [bad, name] of [
        [{ field_id: UNKNOWN_ID, value: 'x' }, 'field_id'],
        [{ field_id: ofAnother['elsewhere']!.id, value: 'x' }, 'field_id'],
        [{ field_id: ofAnother['elsewhere']!.id, field_code: 'elsewhere', value: 'x' }, 'field_id'],
        [{ field_code: 'elsewhere', value: 'x' }, 'field_code'],
        [{ field_code: 'unknown', value: 'x' }, 'field_code'],
        [{ field_id: idOf(draft), field_code: 'elsewhere', value: 'x' }, 'field_code'],
      ] as const) {
        expectInvalid(await store(draft, good, bad, good), `values.1.${name}`);
        expect(await stateOf(draft)).toEqual(before);
      }
    });

    it('is reported for every such entry', async () => {
      const draft = await newDraft(use);

      const answer = await store(
        draft,
        { field_id: UNKNOWN_ID, value: 'x' },
        { field_id: idOf(draft), value: 'x' },
        { field_code: 'unknown', value: 'x' },
        { field_id: UNKNOWN_ID, value: 'x' },
      );

      expectInvalid(answer, 'values.0.field_id', 'values.2.field_code', 'values.3.field_id');
    });

    it('is not confused with the field of the same code in another form', async () => {
      const draft = await newDraft(use);
      const other = await newDraft(use);

      expectInvalid(await store(draft, { field_id: idOf(other), value: 'x' }), 'values.0.field_id');
      const answer = await store(draft, { field_code: 'name', value: 'x' });
      expect(answer.body.data).toEqual([stored(draft, 'name', 'x')]);
      expect(await storedIn(other)).toEqual([]);
    });

    it('is reported before errors of the state of the submission (S3, S11)', async () => {
      const draft = await newDraft(use);
      const { id } = (await buildForm(use.database.dataSource, { steps: [{ elsewhere: {} }] })).fields[
        'elsewhere'
      ]!;
      const storeElsewhere = (headers?: Record<string, string>) =>
        draft.client.post(`${draft.path}/values`, { values: [{ field_id: id, value: 'x' }] }, headers);

      expectInvalid(await storeElsewhere({ 'If-Match': '"other"' }), 'values.0.field_id');
      await draft.client.patch(draft.path, { status: 'completed' });
      expectInvalid(await storeElsewhere(), 'values.0.field_id');
    });
  });

  it('stores no entry if any entry is rejected, and keeps the stored values (V3)', async () => {
    const { draft } = await withRecords(0);
    await store(draft, { field_id: idOf(draft), value: 'before' });
    const before = await stateOf(draft);
    const good = { field_id: idOf(draft), value: 'after' };

    for (const bad of [
      { field_id: UNKNOWN_ID, value: 'x' },
      { field_code: 'expense', value: 1 },
      { field_code: 'expense', value: 'x', entity_record_id: UNKNOWN_ID },
      { field_code: 'expense', value: 'x'.repeat(MAX_CHARACTERS + 1) },
      { field_code: 'expense', value: 'x\u0000' },
      null,
    ]) {
      expect((await store(draft, good, bad as Entry)).status).toBe(422);
      expect((await store(draft, bad as Entry, good)).status).toBe(422);
      expect(await stateOf(draft)).toEqual(before);
    }
  });

  describe('a value (V4)', () => {
    it.each(['null', '1', '0', 'true', 'false', '[]', '["x"]', '{}', '{"value":"x"}'])(
      'cannot be %s',
      async (value) => {
        const draft = await newDraft(use);
        const before = await stateOf(draft);

        const text = `{"values":[{"field_id":${idOf(draft)},"value":${value}}]}`;
        expectInvalid(await storeText(draft, text), 'values.0.value');

        expect(await stateOf(draft)).toEqual(before);
      },
    );

    it('is required', async () => {
      const draft = await newDraft(use);

      expectInvalid(await store(draft, { field_id: idOf(draft) }), 'values.0.value');
    });

    it('can be empty, and is stored', async () => {
      const draft = await newDraft(use);
      await store(draft, { field_id: idOf(draft), value: 'before' });

      const answer = await store(draft, { field_id: idOf(draft), value: '' });

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(withVersion([stored(draft, 'name', '')]));
      expect(await storedIn(draft)).toEqual([stored(draft, 'name', '')]);
    });

    it.each([
      'null',
      '0',
      'false',
      '[]',
      '{}',
      ' ',
      '\n',
      '\u0001',
      '\ufeff',
      '\ufffd',
      '\uffff',
      '💩',
      'e\u0301',
      '\u202e',
    ])('is stored unchanged: %j', async (value) => {
      const draft = await newDraft(use);

      const answer = await store(draft, { field_id: idOf(draft), value });

      expect(answer.body).toEqual(withVersion([stored(draft, 'name', value)]));
      expect(await storedIn(draft)).toEqual([stored(draft, 'name', value)]);
    });

    it.each(['text', 'email', 'number', 'select', 'checkbox', 'radio', 'date', 'file'])(
      'of a %s field can be any text (V11)',
      async (type) => {
        const draft = await newDraft(use, [{ name: { type, options: type === 'select' ? ['a'] : [] } }]);
        const value = 'https://files.example.org/upload?id=1#not-a-date';

        const answer = await store(draft, { field_id: idOf(draft), value });

        expect(answer.status).toBe(200);
        expect(answer.body).toEqual(withVersion([stored(draft, 'name', value)]));
      },
    );
  });

  describe('the key of an upsert (V5)', () => {
    it('is the field if it is not repeatable: a new value replaces the old one', async () => {
      const draft = await newDraft(use, [{ name: {}, other: {} }]);
      await store(draft, { field_id: idOf(draft), value: 'one' }, { field_code: 'other', value: 'kept' });

      const answer = await store(draft, { field_code: 'name', value: 'two' });

      expect(answer.body).toEqual(withVersion([stored(draft, 'name', 'two')]));
      expect(await storedIn(draft)).toEqual([stored(draft, 'name', 'two'), stored(draft, 'other', 'kept')]);
    });

    it('is the field if it is not repeatable, regardless of the records of the values', async () => {
      const { draft, records } = await withRecords(2);

      for (const record of [undefined, records[0], records[1], null, records[0]]) {
        const answer = await store(draft, {
          field_id: idOf(draft),
          value: `with ${record}`,
          ...(record !== undefined && { entity_record_id: record }),
        });
        expect(answer.body).toEqual(withVersion([stored(draft, 'name', `with ${record}`, record ?? null)]));
        expect(await storedIn(draft)).toEqual(answer.body.data);
      }
    });

    it('is field and record if the field is repeatable: one value per record, and one without a record', async () => {
      const { draft, records } = await withRecords(2);
      const [first, second] = records;
      const expense = idOf(draft, 'expense');
      const answer = await store(
        draft,
        { field_id: expense, value: 'b', entity_record_id: second },
        { field_id: expense, value: 'none' },
        { field_id: expense, value: 'a', entity_record_id: first },
      );
      expect(answer.body.data).toEqual([
        stored(draft, 'expense', 'b', second),
        stored(draft, 'expense', 'none'),
        stored(draft, 'expense', 'a', first),
      ]);

      await store(draft, { field_code: 'expense', value: 'a2', entity_record_id: first });
      expect(await storedIn(draft)).toEqual([
        stored(draft, 'expense', 'none'),
        stored(draft, 'expense', 'a2', first),
        stored(draft, 'expense', 'b', second),
      ]);
      await store(draft, { field_code: 'expense', value: 'none2', entity_record_id: null });
      expect(await storedIn(draft)).toEqual([
        stored(draft, 'expense', 'none2'),
        stored(draft, 'expense', 'a2', first),
        stored(draft, 'expense', 'b', second),
      ]);
    });

    it('includes the submission', async () => {
      const draft = await newDraft(use);
      const second: Draft = { ...draft, ...(await createDraft(draft.client, draft)) };
      await store(draft, { field_id: idOf(draft), value: 'first' });
      await store(second, { field_id: idOf(draft), value: 'second' });

      expect(await storedIn(draft)).toEqual([stored(draft, 'name', 'first')]);
      expect(await storedIn(second)).toEqual([stored(draft, 'name', 'second')]);
    });
  });

  describe('the same key twice in one call (V6)', () => {
    it('keeps the last value and returns it for each of these entries', async () => {
      const draft = await newDraft(use, [{ name: {}, other: {} }]);

      const answer = await store(
        draft,
        { field_id: idOf(draft), value: 'one' },
        { field_code: 'other', value: 'kept' },
        { field_code: 'name', value: 'two' },
        { field_id: idOf(draft), field_code: 'name', value: 'three' },
      );

      expect(answer.status).toBe(200);
      const last = stored(draft, 'name', 'three');
      expect(answer.body).toEqual(withVersion([last, stored(draft, 'other', 'kept'), last, last]));
      expect(await storedIn(draft)).toEqual([last, stored(draft, 'other', 'kept')]);
    });

    it('ignores the records of a field that is not repeatable (V5)', async () => {
      const { draft, records } = await withRecords(2);

      const answer = await store(
        draft,
        { field_id: idOf(draft), value: 'one', entity_record_id: records[1] },
        { field_id: idOf(draft), value: 'two' },
        { field_id: idOf(draft), value: 'three', entity_record_id: records[0] },
      );

      const last = stored(draft, 'name', 'three', records[0]);
      expect(answer.body).toEqual(withVersion([last, last, last]));
      expect(await storedIn(draft)).toEqual([last]);
    });

    it('keeps the last value for each record of a repeatable field', async () => {
      const { draft, records } = await withRecords(1);
      const [record] = records;
      const expense = (value: string, entity_record_id?: number) => ({
        field_code: 'expense',
        value,
        ...(entity_record_id !== undefined && { entity_record_id }),
      });

      const answer = await store(
        draft,
        expense('a', record),
        expense('b'),
        expense('c', record),
        expense('d'),
      );

      const withRecord = stored(draft, 'expense', 'c', record);
      const without = stored(draft, 'expense', 'd');
      expect(answer.body).toEqual(withVersion([withRecord, without, withRecord, without]));
      expect(await storedIn(draft)).toEqual([without, withRecord]);
    });

    it('rejects the call if an entry is invalid, even if a later entry replaces it', async () => {
      const draft = await newDraft(use);
      const before = await stateOf(draft);
      const good = { field_id: idOf(draft), value: 'good' };

      expectInvalid(await store(draft, { field_id: idOf(draft), value: 1 }, good), 'values.0.value');
      expectInvalid(
        await store(draft, { ...good, value: 'x'.repeat(MAX_CHARACTERS + 1) }, good),
        'values.0.value',
      );
      expectInvalid(await store(draft, { ...good, entity_record_id: 0 }, good), 'values.0.entity_record_id');

      expect(await stateOf(draft)).toEqual(before);
    });

    it.each(['name', 'expense'])(
      'rejects the call if the record of a replaced entry is unknown (V7): %s',
      async (code) => {
        const { draft, records } = await withRecords(1);
        const before = await stateOf(draft);
        const unknown = { field_code: code, value: 'x', entity_record_id: UNKNOWN_ID };

        for (const last of [
          { field_code: code, value: 'y' },
          { field_code: code, value: 'y', entity_record_id: records[0] },
        ]) {
          expectInvalid(await store(draft, unknown, last), 'values.0.entity_record_id');
          expect(await stateOf(draft)).toEqual(before);
        }
      },
    );
  });

  describe('entity_record_id (V7)', () => {
    it('is rejected if the record is unknown or of another submission, and nothing is stored', async () => {
      const { draft, records } = await withRecords(1);
      const [own] = records;
      const sibling: Draft = { ...draft, ...(await createDraft(draft.client, draft)) };
      const [ofSibling] = await recordsOf(sibling, 1);
      const stranger = await newDraft(use);
      const [ofStranger] = await recordsOf(stranger, 1);
      const before = await stateOf(draft);

      for (const record of [ofSibling, ofStranger, UNKNOWN_ID, Number.MAX_SAFE_INTEGER]) {
        for (const code of ['name', 'expense']) {
          const answer = await store(
            draft,
            { field_code: code, value: 'x', entity_record_id: own },
            { field_code: 'expense', value: 'x', entity_record_id: record },
          );
          expectInvalid(answer, 'values.1.entity_record_id');
        }
        expect(await stateOf(draft)).toEqual(before);
      }
      expectInvalid(
        await store(draft, { field_code: 'name', value: 'x', entity_record_id: ofSibling }),
        'values.0.entity_record_id',
      );
      expect(await stateOf(draft)).toEqual(before);
      expect(await storedIn(sibling)).toEqual([]);
    });

    it('is reported for every entry with an unknown record', async () => {
      const { draft, records } = await withRecords(1);
      const entry = (entity_record_id: number | undefined, code = 'expense') => ({
        field_code: code,
        value: 'x',
        entity_record_id,
      });

      const answer = await store(
        draft,
        entry(UNKNOWN_ID),
        entry(records[0]),
        entry(UNKNOWN_ID - 1),
        entry(undefined),
        entry(UNKNOWN_ID, 'name'),
      );

      expectInvalid(
        answer,
        'values.0.entity_record_id',
        'values.2.entity_record_id',
        'values.4.entity_record_id',
      );
    });

    it.each(['0', '-1', '1.5', '9007199254740992', '1e300', '"1"', '""', 'true', 'false', '[]', '[1]', '{}'])(
      'cannot be %s (V10)',
      async (record) => {
        const { draft } = await withRecords(1);
        const before = await stateOf(draft);

        const text = `{"values":[{"field_code":"expense","value":"x","entity_record_id":${record}}]}`;
        expectInvalid(await storeText(draft, text), 'values.0.entity_record_id');

        expect(await stateOf(draft)).toEqual(before);
      },
    );

    it('refers to a record whose deletion deletes the values too', async () => {
      const { draft, records } = await withRecords(2);
      await store(
        draft,
        ...records.map((record) => ({ field_code: 'expense', value: 'x', entity_record_id: record })),
      );

      const { manager } = use.database.dataSource;
      await manager.delete(EntityRecord, { submissionUuid: draft.uuid, id: records[0]! });

      expect(await storedIn(draft)).toEqual([stored(draft, 'expense', 'x', records[1])]);
    });
  });

  describe('display-only fields (V8)', () => {
    it.each(['heading', 'paragraph'])('rejects a value for a %s, by id and by code', async (type) => {
      const draft = await newDraft(use, [{ name: {}, shown: { type } }]);
      const before = await stateOf(draft);
      const good = { field_id: idOf(draft), value: 'x' };

      expectInvalid(
        await store(draft, good, { field_id: idOf(draft, 'shown'), value: '' }),
        'values.1.field_id',
      );
      expectInvalid(await store(draft, { field_code: 'shown', value: 'x' }, good), 'values.0.field_code');

      expect(await stateOf(draft)).toEqual(before);
    });

    it.each(['signature-input', 'map-display', 'heading', 'display'])(
      'accepts a value for the unknown component %s, which clients render as a text input',
      async (component) => {
        const { manager } = use.database.dataSource;
        await manager.save(manager.create(FieldType, { name: `type of ${component}`, component }));
        const draft = await newDraft(use, [{ name: { type: `type of ${component}` } }]);

        const answer = await store(draft, { field_id: idOf(draft), value: 'x' });

        expect(answer.status).toBe(200);
        expect(answer.body).toEqual(withVersion([stored(draft, 'name', 'x')]));
      },
    );
  });

  describe('limits (V9)', () => {
    const codes = Array.from({ length: 500 }, (_, index) => `field_${index}`);

    it('accepts 500 entries and rejects 501 under values', async () => {
      const draft = await newDraft(use);
      await use.database.dataSource.query(
        `insert into fields (step_id, field_type_id, code, label, "order")
           select $1, 1, 'field_' || n, 'Field', n + 10 from generate_series(0, 499) n`,
        [draft.steps[0]?.id],
      );
      const entries = codes.map((code) => ({ field_code: code, value: code }));
      const answer = await eventually('the new fields are known', async () => {
        const attempt = await store(draft, ...entries);
        return attempt.status === 200 && attempt;
      });
      expect(answer.body.data.map(({ value }: SubmissionValue) => value)).toEqual(codes);
      const before = await stateOf(draft);
      expect(before.data.values).toHaveLength(500);

      const oneMore = { field_code: 'field_0', value: 'changed' };
      expectInvalid(await store(draft, oneMore, ...entries), 'values');
      expectInvalid(await store(draft, ...Array<Entry>(501).fill(oneMore)), 'values');
      expect(await stateOf(draft)).toEqual(before);
      expect((await store(draft, ...Array<Entry>(500).fill(oneMore))).status).toBe(200);
    });

    it.each([
      ['a', 'one byte'],
      ['é', 'two bytes'],
      ['€', 'three bytes'],
      ['💩', 'outside the BMP, two code units'],
    ])(
      'counts characters such as %s (%s) once each: 65,535 are accepted, 65,536 rejected',
      async (character) => {
        const draft = await newDraft(use);
        const longest = character.repeat(MAX_CHARACTERS);

        const answer = await store(draft, { field_id: idOf(draft), value: longest });

        expect(answer.status).toBe(200);
        expect(answer.body.data[0].value === longest).toBe(true);
        const before = await stateOf(draft);
        expect(before.data.values[0].value === longest).toBe(true);
        expectInvalid(await store(draft, { field_id: idOf(draft), value: `${longest}a` }), 'values.0.value');
        expectInvalid(
          await store(draft, { field_id: idOf(draft), value: longest + character }),
          'values.0.value',
        );
        expect((await stateOf(draft)).data.updated_at).toBe(before.data.updated_at);
      },
    );

    it('returns 413 for a body of more than 1 MiB, and stores nothing', async () => {
      const draft = await newDraft(use);
      const before = await stateOf(draft);
      const body = (bytes: number) => {
        const [begin, end] = [`{"values":[{"field_id":${idOf(draft)},"value":"x"}],"pad":"`, '"}'];
        return begin + 'p'.repeat(bytes - begin.length - end.length) + end;
      };

      expectRefusal(await storeText(draft, body(1_048_577)), 413);
      expect(await stateOf(draft)).toEqual(before);
      expect((await storeText(draft, body(1_048_576))).status).toBe(200);
    });

    it('returns an empty array for an empty array', async () => {
      const draft = await newDraft(use);
      await store(draft, { field_id: idOf(draft), value: 'kept' });

      const answer = await store(draft);

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(withVersion([]));
      expect(await storedIn(draft)).toEqual([stored(draft, 'name', 'kept')]);
    });
  });

  it.each([
    ['with U+0000', 'x\\u0000y'],
    ['that is U+0000', '\\u0000'],
    ['with a lone high surrogate', 'x\\ud83d'],
    ['with a lone low surrogate', '\\udca9x'],
    ['with surrogates the wrong way round', '\\udca9\\ud83d'],
  ])('rejects a value %s, which PostgreSQL cannot store (V10)', async (_, value) => {
    const draft = await newDraft(use);
    const before = await stateOf(draft);

    const entry = `{"field_id":${idOf(draft)},"value":"${value}"}`;
    expectInvalid(await storeText(draft, `{"values":[${entry}]}`), 'values.0.value');

    expect(await stateOf(draft)).toEqual(before);
  });

  describe('the shape of the body', () => {
    it.each([
      '{}',
      '{"values":null}',
      '{"values":"x"}',
      '{"values":1}',
      '{"values":true}',
      '{"values":{}}',
      '{"values":{"0":{}}}',
      '{"values":{"length":1,"0":{"field_id":1,"value":"x"}}}',
      '{"__proto__":{"values":[]}}',
    ])('rejects %s under values', async (body) => {
      const draft = await newDraft(use);

      expectInvalid(await storeText(draft, body), 'values');
    });

    it.each(['null', '1', '"x"', 'true', '[]', '[{"field_id":1,"value":"x"}]'])(
      'rejects the entry %s under its index',
      async (entry) => {
        const draft = await newDraft(use);
        const before = await stateOf(draft);
        const good = `{"field_id":${idOf(draft)},"value":"x"}`;

        const answer = await storeText(draft, `{"values":[${good},${entry},${good}]}`);

        expectInvalid(answer, 'values.1');
        expect(await stateOf(draft)).toEqual(before);
      },
    );

    it('reports all errors of all entries', async () => {
      const draft = await newDraft(use);

      const answer = await store(
        draft,
        { field_id: 0, value: 1, entity_record_id: -1 },
        { field_id: idOf(draft), value: 'x' },
        { field_code: 1 },
        {},
        { field_id: '1', field_code: null, value: null },
      );

      expectInvalid(
        answer,
        'values.0.field_id',
        'values.0.value',
        'values.0.entity_record_id',
        'values.2.field_code',
        'values.2.value',
        'values.3.field_id',
        'values.3.value',
        'values.4.field_id',
        'values.4.field_code',
        'values.4.value',
      );
    });

    it.each(['[]', '"text"', '1', 'true', 'null'])('rejects the body %s', async (body) => {
      const draft = await newDraft(use);

      const answer = await storeText(draft, body);

      expect([400, 422]).toContain(answer.status);
      expect(answer.body.message).toMatch(/./);
    });

    it('ignores unknown properties of the body and of entries, including __proto__ and constructor (E8)', async () => {
      const draft = await newDraft(use);
      const more = '"__proto__":{"value":"y"},"constructor":{"prototype":{}},"toString":1,"then":2,"id":3';

      const answer = await storeText(
        draft,
        `{"values":[{"field_id":${idOf(draft)},"value":"x",${more},"field_label":"L"}],"status":"completed",${more}}`,
      );

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(withVersion([stored(draft, 'name', 'x')]));
      expect((await stateOf(draft)).data.status).toBe('draft');
    });
  });

  it('rejects values of a completed submission and changes nothing (S3)', async () => {
    const draft = await newDraft(use);
    await store(draft, { field_id: idOf(draft), value: 'before' });
    await draft.client.patch(draft.path, { status: 'completed' });
    const before = await stateOf(draft);

    for (const entries of [[{ field_id: idOf(draft), value: 'after' }], []]) {
      const answer = await store(draft, ...entries);
      expectRefusal(answer, 422, { message: 'The submission is already completed.' });
    }
    expect(await stateOf(draft)).toEqual(before);
  });

  it('returns 404 for a submission of another user, even with known fields (S1)', async () => {
    const draft = await newDraft(use);
    const { client, id: userId } = await newUser(use);
    const before = await stateOf(draft);
    const stranger: Draft = { ...draft, client, userId };

    expectRefusal(await store(stranger, { field_id: idOf(draft), value: 'x' }), 404);
    // The stranger also gets 404 after the instance has cached the submission.
    expect((await store(draft, { field_id: idOf(draft), value: '' })).status).toBe(200);
    expectRefusal(await store(stranger, { field_id: idOf(draft), value: 'x' }), 404);
    expectRefusal(await store(stranger, { field_id: UNKNOWN_ID, value: 'x' }), 404);

    expect((await stateOf(draft)).data.created_at).toBe(before.data.created_at);
    expect(await storedIn(draft)).toEqual([stored(draft, 'name', '')]);
  });

  it('honours If-Match: 412 for another state, and nothing is stored (S11)', async () => {
    const draft = await newDraft(use);
    const { client, path } = draft;
    const values = { values: [{ field_id: idOf(draft), value: 'x' }] };
    const first = etagOf(await client.get(path));

    for (const header of ['"other"', `W/${first}`, `"a", "b"`]) {
      expectRefusal(await client.post(`${path}/values`, values, { 'If-Match': header }), 412);
    }
    expect(await storedIn(draft)).toEqual([]);
    expect((await client.post(`${path}/values`, values, { 'If-Match': `"a", ${first}` })).status).toBe(200);
    expectRefusal(await client.post(`${path}/values`, values, { 'If-Match': first }), 412);
    expect((await client.post(`${path}/values`, values, { 'If-Match': '*' })).status).toBe(200);
  });

  it('stores values of any step, regardless of the current step', async () => {
    const draft = await newDraft(use, [{ first: {} }, { second: {} }, { third: {} }]);
    await draft.client.post(`${draft.path}/advance`);

    const answer = await store(
      draft,
      { field_code: 'third', value: '3' },
      { field_code: 'first', value: '1' },
      { field_code: 'second', value: '2' },
    );

    expect(answer.status).toBe(200);
    expect((await stateOf(draft)).data.current_step).toBe(2);
    expect(await storedIn(draft)).toHaveLength(3);
  });

  it('stores nothing without a valid token (A5)', async () => {
    const draft = await newDraft(use);

    expectUnauthenticated(
      await use.service.anyone.post(`${draft.path}/values`, {
        values: [{ field_id: idOf(draft), value: 'x' }],
      }),
    );

    expect(await storedIn(draft)).toEqual([]);
  });
});
