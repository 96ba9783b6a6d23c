import { EntityRecord, FieldType, type SubmissionValue } from '../../src/entities.js';
import { withVersion } from '../support/answers.js';
import { complete, stateOf } from '../support/draft-requests.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { buildForm, buildRecords, type FieldPlan } from '../support/forms.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService, withServiceOn } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const MAX_CHARACTERS = 65_535;
const UNKNOWN_ID = 2_147_483_647;

interface Entry {
  field_id?: unknown;
  field_code?: unknown;
  value?: unknown;
  entity_record_id?: unknown;
}

describe('POST /api/v1/submissions/{uuid}/values', () => {
  const use = useService();

  const store = ({ client, path }: Draft, ...values: Entry[]) => client.post(`${path}/values`, { values });
  const storeText = ({ client, path }: Draft, text: string) => client.send('POST', `${path}/values`, text);
  const storedIn = async (draft: Draft) => (await stateOf(draft)).values;
  const idOf = ({ fields }: Draft, code = 'name') => fields[code]!.id;
  const stored = (draft: Draft, code: string, value: string, record: number | null = null) => ({
    field_id: idOf(draft, code),
    field_code: code,
    value,
    entity_record_id: record,
  });
  const recordsOf = ({ form, uuid }: Draft, count: number) =>
    buildRecords(use.database.dataSource, form.id, uuid, count);
  const PLAN: Record<string, FieldPlan>[] = [
    { name: {}, expense: { isRepeatable: true }, other: {} },
    { title: { type: 'heading' } },
  ];
  const withRecords = async (count: number) => {
    const draft = await newDraft(use, PLAN);
    return { draft, records: await recordsOf(draft, count) };
  };

  /** A draft that rejected calls leave as it is. */
  let rejecting: Draft;
  /** Fields of another form and of its draft. */
  let other: Draft;
  beforeAll(async () => {
    rejecting = await newDraft(use, PLAN);
    await store(rejecting, { field_code: 'name', value: 'before' });
    other = await newDraft(use, [{ name: {}, elsewhere: {} }]);
  });

  /** Sends the entry between two valid ones. Expects errors of this entry only, and that no entry is stored (V3). */
  async function expectRejected(entry: string | Entry, ...properties: string[]): Promise<void> {
    const before = await stateOf(rejecting);
    const text = typeof entry === 'string' ? entry : JSON.stringify(entry);
    const good = '{"field_code":"name","value":"after"}';
    const answer = await storeText(rejecting, `{"values":[${good},${text},${good}]}`);
    expectInvalid(answer, ...properties.map((property) => `values.1${property && `.${property}`}`));
    expect(await stateOf(rejecting)).toEqual(before);
  }

  it('stores values of any step and returns them in the order sent; a read returns them sorted (V12, S6)', async () => {
    const draft = await newDraft(use, [
      { name: {}, email: { type: 'email' } },
      { about: { type: 'textarea' } },
    ]);
    const before = await stateOf(draft);

    const answer = await store(
      draft,
      { field_id: idOf(draft, 'about'), value: 'Ünï 💩\n"quoted" \\ \u2028' },
      { field_code: 'email', value: 'ada@example.org', entity_record_id: null },
      { field_id: idOf(draft, 'name'), field_code: 'name', value: ' Ada ' },
    );

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const [about, email, name] = [
      stored(draft, 'about', 'Ünï 💩\n"quoted" \\ \u2028'),
      stored(draft, 'email', 'ada@example.org'),
      stored(draft, 'name', ' Ada '),
    ];
    expect(answer.body).toEqual(withVersion([about, email, name]));
    const after = await stateOf(draft);
    expect(after).toEqual({ ...before, updated_at: after.updated_at, values: [name, email, about] });
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  it('moves updated_at and the ETag forward on every call, even if nothing changes (S6, S11)', async () => {
    const draft = await newDraft(use);
    const seen = [(await stateOf(draft)).updated_at];
    for (const entries of [
      [{ field_code: 'name', value: 'Ada' }],
      [{ field_code: 'name', value: 'Ada' }],
      [],
    ]) {
      expect((await store(draft, ...entries)).body.data).toHaveLength(entries.length);
      const { headers, body } = await draft.client.get(draft.path);
      expect(body.data.updated_at > seen.at(-1)).toBe(true);
      expect(headers.get('etag')).toContain(body.data.updated_at);
      seen.push(body.data.updated_at);
    }
    expect(await storedIn(draft)).toEqual([stored(draft, 'name', 'Ada')]);
  });

  describe('rejects the call and stores no entry (V3)', () => {
    it.each([
      // Names of fields (V1, V2, V10)
      ...['0', '-1', '1.5', '2147483648', '9007199254740993', '"1"', 'null', '[1]'].map((id) => [
        'field_id',
        `{"field_id":${id},"value":"x"}`,
      ]),
      ...['1', 'null', '["name"]', '""', '"Name"', '"name\\u0000"', '"\\ud800"', '"__proto__"'].map(
        (code) => ['field_code', `{"field_code":${code},"value":"x"}`],
      ),
      ['field_id', '{"value":"x"}'],
      ['field_id', '{"__proto__":{"field_id":1},"value":"x"}'],
      ['field_code', '{"field_code":"title","value":"x"}'],
      // Values (V4, V10)
      ...['null', '1', 'false', '["x"]', '{"value":"x"}', '"x\\u0000y"', '"x\\ud83d"'].map((value) => [
        'value',
        `{"field_code":"name","value":${value}}`,
      ]),
      ['value', '{"field_code":"name"}'],
      ['value', JSON.stringify({ field_code: 'name', value: '💩'.repeat(MAX_CHARACTERS + 1) })],
      // Records (V7, V10)
      ...['0', '-1', '1.5', '9007199254740992', '"1"', 'false', '[]', '9007199254740991'].map((record) => [
        'entity_record_id',
        `{"field_code":"expense","value":"x","entity_record_id":${record}}`,
      ]),
      ...['null', '1', '"x"', '[]'].map((entry) => ['', entry]),
    ] as [string, string][])('for an error under "%s" of an entry: %.80s', (property, entry) =>
      expectRejected(entry, property),
    );

    it('for a field that the form does not have, under the property that names it (V2)', async () => {
      const elsewhere = idOf(other, 'elsewhere');
      for (const [entry, property] of [
        [{ field_id: UNKNOWN_ID }, 'field_id'],
        [{ field_id: elsewhere }, 'field_id'],
        [{ field_id: idOf(other) }, 'field_id'],
        [{ field_id: elsewhere, field_code: 'elsewhere' }, 'field_id'],
        [{ field_code: 'elsewhere' }, 'field_code'],
        [{ field_id: idOf(rejecting), field_code: 'elsewhere' }, 'field_code'],
        // Both name fields of the form, but different ones (V1).
        [{ field_id: idOf(rejecting), field_code: 'other' }, 'field_code'],
        // A heading holds no value (V8).
        [{ field_id: idOf(rejecting, 'title') }, 'field_id'],
      ] as const)
        await expectRejected({ ...entry, value: '' }, property);
    });

    it('for a record that is unknown or of another submission (V7)', async () => {
      const sibling: Draft = { ...rejecting, ...(await createDraft(rejecting.client, rejecting)) };
      const [ofSibling] = await recordsOf(sibling, 1);
      const [ofOther] = await recordsOf(other, 1);
      for (const entity_record_id of [ofSibling, ofOther, UNKNOWN_ID])
        for (const field_code of ['name', 'expense'])
          await expectRejected({ field_code, value: 'x', entity_record_id }, 'entity_record_id');
      expect(await storedIn(sibling)).toEqual([]);
    });

    it('with all errors of all entries, although a later entry replaces an invalid one (V6)', async () => {
      const { draft, records } = await withRecords(1);
      const good = { field_code: 'name', value: 'x' };
      expectInvalid(
        await store(draft, { field_id: 0, value: 1, entity_record_id: -1 }, good, { field_code: 1 }, {}),
        ...['values.0.field_id', 'values.0.value', 'values.0.entity_record_id'],
        ...['values.2.field_code', 'values.2.value', 'values.3.field_id', 'values.3.value'],
      );
      const unknown = { field_id: UNKNOWN_ID, value: 'x' };
      expectInvalid(await store(draft, unknown, good, unknown), 'values.0.field_id', 'values.2.field_id');
      const inRecord = (entity_record_id: unknown) => ({
        field_code: 'expense',
        value: 'x',
        entity_record_id,
      });
      expectInvalid(
        await store(
          draft,
          inRecord(UNKNOWN_ID),
          inRecord(records[0]),
          inRecord(UNKNOWN_ID - 1),
          inRecord(null),
        ),
        ...['values.0.entity_record_id', 'values.2.entity_record_id'],
      );
      expectInvalid(await store(draft, { ...good, value: 1 }, good), 'values.0.value');
      expectInvalid(
        await store(draft, { ...good, entity_record_id: UNKNOWN_ID }, good),
        'values.0.entity_record_id',
      );
      expect(await storedIn(draft)).toEqual([]);
    });

    it('before it looks at the state of the submission (S3, S11)', async () => {
      const draft = await newDraft(use);
      const storeElsewhere = (headers?: Record<string, string>) =>
        draft.client.post(`${draft.path}/values`, { values: [{ field_code: 'none', value: 'x' }] }, headers);
      expectInvalid(await storeElsewhere({ 'If-Match': '"other"' }), 'values.0.field_code');
      await complete(draft);
      expectInvalid(await storeElsewhere(), 'values.0.field_code');
    });

    it.each([
      '{}',
      '{"values":null}',
      '{"values":"x"}',
      '{"values":{}}',
      '{"values":{"length":1,"0":{"field_id":1,"value":"x"}}}',
      '{"__proto__":{"values":[]}}',
    ])('for values that are no array: %s', async (body) => {
      expectInvalid(await storeText(rejecting, body), 'values');
    });

    it('for a body that is no object', async () => {
      for (const body of ['[]', '"text"', 'null']) expectInvalid(await storeText(rejecting, body), 'body');
    });
  });

  describe('a value (V4)', () => {
    it('is stored unchanged, even if it is empty', async () => {
      const draft = await newDraft(use);
      for (const value of [
        'null',
        '0',
        '[]',
        ' ',
        '\n',
        '\u0001',
        '\ufeff\ufffd\uffff',
        '💩e\u0301\u202e',
        '',
      ]) {
        const answer = await store(draft, { field_id: idOf(draft), value });
        expect(answer.body).toEqual(withVersion([stored(draft, 'name', value)]));
        expect(await storedIn(draft)).toEqual([stored(draft, 'name', value)]);
      }
    });

    it('can be any text in a field of any type, also of one that the service does not know (V11)', () =>
      withServiceOn(use.database, { FILES_URL: '' }, async (service) => {
        const { manager } = use.database.dataSource;
        for (const component of ['signature-input', 'map-display'])
          await manager.save(manager.create(FieldType, { name: `type of ${component}`, component }));
        const types = ['email', 'number', 'select', 'checkbox', 'date', 'file', 'type of signature-input'];
        types.push('type of map-display');
        const codes = types.map((_, index) => `field_${index}`);
        const draft = await newDraft({ ...use, service }, [
          Object.fromEntries(
            types.map((type, at) => [codes[at], { type, options: type === 'select' ? ['a'] : [] }]),
          ),
        ]);
        const value = 'https://files.example.org/upload?id=1#not-a-date';
        const answer = await store(draft, ...codes.map((field_code) => ({ field_code, value })));
        expect(answer.body).toEqual(withVersion(codes.map((code) => stored(draft, code, value))));
      }));

    it('can have 65,535 characters, counted as code points (V9)', async () => {
      const draft = await newDraft(use);
      const longest = '💩'.repeat(MAX_CHARACTERS);
      const answer = await store(draft, { field_id: idOf(draft), value: longest });
      expect(answer.body.data[0].value === longest).toBe(true);
      expect((await storedIn(draft))[0].value === longest).toBe(true);
      expectInvalid(await store(draft, { field_id: idOf(draft), value: `${longest}a` }), 'values.0.value');
    });
  });

  describe('the key of an upsert (V5)', () => {
    it('is the field of one submission if the field is not repeatable, regardless of the records', async () => {
      const { draft, records } = await withRecords(2);
      const sibling: Draft = { ...draft, ...(await createDraft(draft.client, draft)) };
      await store(sibling, { field_code: 'name', value: 'of the sibling' });
      await store(draft, { field_code: 'other', value: 'kept' });

      for (const record of [undefined, records[0], records[1], null, records[0]]) {
        const entry = { field_id: idOf(draft), value: `with ${record}` };
        const answer = await store(
          draft,
          record === undefined ? entry : { ...entry, entity_record_id: record },
        );
        expect(answer.body.data).toEqual([stored(draft, 'name', `with ${record}`, record ?? null)]);
        expect(await storedIn(draft)).toEqual([...answer.body.data, stored(draft, 'other', 'kept')]);
      }
      expect(await storedIn(sibling)).toEqual([stored(draft, 'name', 'of the sibling')]);
    });

    it('is field and record if the field is repeatable: one value per record, and one without a record', async () => {
      const { draft, records } = await withRecords(2);
      const [first, second] = records;
      const expense = idOf(draft, 'expense');
      const [a, b, none] = [
        stored(draft, 'expense', 'a', first),
        stored(draft, 'expense', 'b', second),
        stored(draft, 'expense', 'none'),
      ];
      const answer = await store(
        draft,
        { field_id: expense, value: 'b', entity_record_id: second },
        { field_id: expense, value: 'none' },
        { field_id: expense, value: 'a', entity_record_id: first },
      );
      expect(answer.body.data).toEqual([b, none, a]);

      await store(draft, { field_code: 'expense', value: 'a2', entity_record_id: first });
      expect(await storedIn(draft)).toEqual([none, { ...a, value: 'a2' }, b]);
      await store(draft, { field_code: 'expense', value: 'none2', entity_record_id: null });
      expect(await storedIn(draft)).toEqual([{ ...none, value: 'none2' }, { ...a, value: 'a2' }, b]);

      // The deletion of a record deletes its values (V7).
      const { manager } = use.database.dataSource;
      await manager.delete(EntityRecord, { submissionUuid: draft.uuid, id: first! });
      expect(await storedIn(draft)).toEqual([{ ...none, value: 'none2' }, b]);
    });
  });

  describe('the same key twice in one call (V6)', () => {
    it('keeps the last value and returns it for entries by code, by id, and by both (V1)', async () => {
      const draft = await newDraft(use, PLAN);
      const answer = await store(
        draft,
        { field_id: idOf(draft), value: 'one' },
        { field_code: 'other', value: 'kept' },
        { field_code: 'name', value: 'two' },
        { field_id: idOf(draft), field_code: 'name', value: 'three' },
      );
      const last = stored(draft, 'name', 'three');
      expect(answer.body).toEqual(withVersion([last, stored(draft, 'other', 'kept'), last, last]));
      expect(await storedIn(draft)).toEqual([last, stored(draft, 'other', 'kept')]);
    });

    it('includes the record only if the field is repeatable (V5)', async () => {
      const { draft, records } = await withRecords(2);
      const [first, second] = records;
      const single = await store(
        draft,
        { field_code: 'name', value: 'one', entity_record_id: second },
        { field_code: 'name', value: 'two' },
        { field_code: 'name', value: 'three', entity_record_id: first },
      );
      const last = stored(draft, 'name', 'three', first);
      expect(single.body.data).toEqual([last, last, last]);

      const many = await store(
        draft,
        { field_code: 'expense', value: 'a', entity_record_id: first },
        { field_code: 'expense', value: 'b' },
        { field_code: 'expense', value: 'c', entity_record_id: first },
        { field_code: 'expense', value: 'd' },
      );
      const [inRecord, without] = [stored(draft, 'expense', 'c', first), stored(draft, 'expense', 'd')];
      expect(many.body.data).toEqual([inRecord, without, inRecord, without]);
      expect(await storedIn(draft)).toEqual([last, without, inRecord]);
    });
  });

  itOnOneServer(
    'gets field errors, not a 500, from a panel that deletes fields in the opposite order of the call',
    async () => {
      const draft = await newDraft(use, PLAN);
      const answer = await asAnotherProgram(use.database.connection, async (panel) => {
        const remove = (code: string) => panel.query('delete from fields where id = $1', [idOf(draft, code)]);
        await panel.query('begin');
        await remove('other');
        const [first, second] = [
          { field_code: 'name', value: 'x' },
          { field_code: 'other', value: 'x' },
        ];
        const storing = store(draft, first, second);
        await eventually('the call holds the first field and waits for the second', async () => {
          const { rows } = await panel.query(
            'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
          );
          return rows.length > 0;
        });
        await remove('name');
        await panel.query('commit');
        return storing;
      });
      expectInvalid(answer, 'values.0.field_code', 'values.1.field_code');
    },
  );

  describe('limits (V9)', () => {
    it('accepts 500 entries and rejects 501 under values', async () => {
      const built = await buildForm(use.database.dataSource);
      await use.database.dataSource.query(
        `insert into fields (step_id, field_type_id, code, label, "order")
           select $1, 1, 'field_' || n, 'Field', n + 10 from generate_series(0, 499) n`,
        [built.steps[0]?.id],
      );
      const { client, id: userId } = await newUser(use);
      const draft: Draft = { ...built, client, userId, ...(await createDraft(client, built)) };
      const codes = Array.from({ length: 500 }, (_, index) => `field_${index}`);
      const entries = codes.map((code) => ({ field_code: code, value: code }));
      const answer = await store(draft, ...entries);
      expect(answer.body.data.map(({ value }: SubmissionValue) => value)).toEqual(codes);
      const before = await stateOf(draft);
      expect(before.values).toHaveLength(500);

      const oneMore = { field_code: 'field_0', value: 'changed' };
      expectInvalid(await store(draft, oneMore, ...entries), 'values');
      expectInvalid(await store(draft, ...Array<Entry>(501).fill(oneMore)), 'values');
      expect(await stateOf(draft)).toEqual(before);
    });

    it('returns 413 for a body of more than 1 MiB, and stores nothing', async () => {
      const before = await stateOf(rejecting);
      const body = (bytes: number) => {
        const begin = '{"values":[{"field_code":"name","value":"before"}],"pad":"';
        return `${begin.padEnd(bytes - 2, 'p')}"}`;
      };
      expectRefusal(await storeText(rejecting, body(1_048_577)), 413);
      expect(await stateOf(rejecting)).toEqual(before);
      expect((await storeText(rejecting, body(1_048_576))).status).toBe(200);
    });
  });
});
