import { EntityDefinition, Field, Option, User } from '../src/entities.js';
import { type Export, exportSubmissions } from '../src/capabilities/exports/export-submissions.js';
import { PATIENCE } from './support/built-service.js';
import { useCommandLine } from './support/command-line.js';
import { newDraftOf } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { type BuiltForm, buildEntity, buildForm } from './support/forms.js';
import { useServiceOn } from './support/service.js';
import {
  type StoredRecord,
  storeRecord,
  type StoredSubmission,
  storeSubmission,
  uuidOf,
} from './support/stored-submissions.js';

const use = useCommandLine();
const { run, start } = use;
let user: User;

beforeAll(async () => {
  const { manager } = use.database.dataSource;
  user = await manager.save(manager.create(User, { email: 'ada@example.org' }));
}, 120_000);

const query = (sql: string, ...values: unknown[]) => use.database.dataSource.query(sql, values);
const submit = (...stored: StoredSubmission) => storeSubmission(use.database.dataSource, user.id, ...stored);
const addRecord = (...record: StoredRecord) => storeRecord(use.database.dataSource, ...record);

type Format = Partial<Omit<Export, 'slug'>>;

/** Exports in this process. */
async function exported({ form }: Pick<BuiltForm, 'form'>, format: Format = {}) {
  const parts: string[] = [];
  const result = await exportSubmissions(
    use.database.dataSource,
    { format: 'ndjson', status: undefined, since: undefined, ...format, slug: form.slug },
    (part) => Promise.resolve(void parts.push(part)),
  );
  return { text: parts.join(''), parts, ...result };
}

const linesOf = (ndjson: string): any[] =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('an export in NDJSON', () => {
  it('has one submission per line, as in the API, with the address of its user and all records', async () => {
    const built = await buildForm(use.database.dataSource, {
      steps: [{ name: {}, tag: { isRepeatable: true } }, { note: {} }],
    });
    const entity = await buildEntity(use.database.dataSource, built, { name: 'item', isRepeatable: true }, [
      'tag',
    ]);
    const createdAt = '2026-11-21T10:00:00.000001Z';
    const updatedAt = '2026-11-21T10:00:00.123456Z';
    const value = 'say "hi", 李 😀\r\nand =1+1\u2028';
    const uuid = uuidOf('aa', 1);
    await submit(
      built,
      { uuid, status: 'completed', step: 2, meta: { source: 'a\nb' }, createdAt, updatedAt },
      { note: value, name: '' },
    );
    const [first, second] = [await addRecord(built, entity, uuid), await addRecord(built, entity, uuid)];
    await submit(built, { uuid }, { tag: [[second, 'x']] });

    const { text } = await exported(built);

    expect(text.endsWith('\n')).toBe(true);
    const valueOf = (code: string, text: string, entity_record_id: number | null = null) => ({
      ...{ field_id: built.fields[code]!.id, field_code: code, value: text, entity_record_id },
    });
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{6}Z$/);
    expect(linesOf(text)).toEqual([
      {
        uuid,
        form_id: built.form.id,
        status: 'completed',
        current_step: 2,
        meta: { source: 'a\nb' },
        created_at: createdAt,
        updated_at: updatedAt,
        begun_version: null,
        completed_version: null,
        locale: null,
        completed_at: updatedAt,
        anonymized_at: null,
        user_email: 'ada@example.org',
        values: [valueOf('name', ''), valueOf('tag', 'x', second), valueOf('note', value)],
        records: [first, second].map((id) => ({ id, entity: 'item', created_at })),
      },
    ]);
  });

  it('is ordered by UUID, which is the order of creation, and shows the state of one moment', async () => {
    const built = await buildForm(use.database.dataSource);
    await query(
      `insert into submissions (uuid, form_id, user_id)
       select ('019ab000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, $2
         from generate_series(1, 250) n order by random()`,
      ...[built.form.id, user.id],
    );
    const counts: number[] = [];
    let text = '';
    const result = await exportSubmissions(
      use.database.dataSource,
      { slug: built.form.slug, format: 'ndjson', status: undefined, since: undefined },
      async (part, soFar) => {
        text += part;
        counts.push(soFar);
        if (counts.length > 1) return;
        await query(`update submissions set status = 'completed' where form_id = $1`, built.form.id);
        await submit(built, { uuid: uuidOf('ac', 900) });
      },
    );
    expect(result).toEqual({ count: 250, warnings: [] });
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.at(-1)).toBe(250);
    const submissions = linesOf(text);
    expect(submissions).toHaveLength(250);
    expect(submissions.map(({ uuid }) => uuid)).toEqual(submissions.map(({ uuid }) => uuid).toSorted());
    expect(submissions.at(-1)).toMatchObject({ status: 'draft' });
  });

  it('has only submissions of a status, and those written since a time, to the microsecond', async () => {
    const built = await buildForm(use.database.dataSource);
    for (const [number, status] of (['draft', 'completed', 'draft'] as const).entries()) {
      const updatedAt = `2026-11-21T10:00:00.00000${number + 1}Z`;
      await submit(built, { uuid: uuidOf('ad', number + 1), status, updatedAt });
    }
    const numbers = async (options: Format) =>
      linesOf((await exported(built, options)).text).map(({ uuid }) => Number(uuid.slice(-12)));

    expect(await numbers({})).toEqual([1, 2, 3]);
    expect(await numbers({ status: 'draft' })).toEqual([1, 3]);
    expect(await numbers({ status: 'completed' })).toEqual([2]);
    expect(await numbers({ since: '2026-11-21T10:00:00.000002Z' })).toEqual([2, 3]);
    expect(await numbers({ since: '2026-11-21T12:00:00.000002+02:00', status: 'draft' })).toEqual([3]);
    expect(await numbers({ since: '2026-11-22T00:00Z' })).toEqual([]);
  });

  it('says when personal answers were deleted, and has these submissions since that time, too', async () => {
    const built = await buildForm(use.database.dataSource);
    const anonymizedAt = '2026-11-25T10:00:00.000002Z';
    for (const number of [1, 2])
      await submit(built, {
        uuid: uuidOf('c4', number),
        ...{ status: 'completed', updatedAt: '2026-11-21T10:00:00Z' },
      });
    await query('update submissions set anonymized_at = $2 where uuid = $1', uuidOf('c4', 2), anonymizedAt);
    const since = async (time?: string, more: Format = {}) =>
      linesOf((await exported(built, { since: time, ...more })).text).map(({ uuid }) =>
        Number(uuid.slice(-12)),
      );

    expect(linesOf((await exported(built)).text).map(({ anonymized_at }) => anonymized_at)).toEqual([
      null,
      anonymizedAt,
    ]);
    const [header = '', one = '', two = ''] = (await exported(built, { format: 'csv' })).text.split('\r\n');
    const at = header.split(',').indexOf('anonymized_at');
    expect([one, two].map((line) => line.split(',')[at])).toEqual(['', anonymizedAt]);
    expect(await since('2026-11-21T10:00:00Z')).toEqual([1, 2]);
    expect(await since(anonymizedAt)).toEqual([2]);
    expect(await since('2026-11-25T10:00:00.000003Z')).toEqual([]);
    // The time of completion decides here.
    expect(await since(undefined, { from: '2026-11-22' })).toEqual([]);
  });

  it('has only submissions completed in a span of time: the last write decides for drafts, and without a time of completion', async () => {
    const built = await buildForm(use.database.dataSource);
    const store = (number: number, status: 'draft' | 'completed', updatedAt: string) =>
      submit(built, { uuid: uuidOf('c2', number), status, updatedAt });
    await store(1, 'completed', '2026-11-21T10:00:00.000001Z');
    // A later change of the meta.
    await query(`update submissions set updated_at = '2026-11-25' where uuid = $1`, uuidOf('c2', 1));
    await store(2, 'draft', '2026-11-22T10:00:00Z');
    await store(3, 'completed', '2026-11-23T10:00:00Z');
    await query('update submissions set completed_at = null where uuid = $1', uuidOf('c2', 3));
    const numbers = async (options: Format) =>
      linesOf((await exported(built, options)).text).map(({ uuid }) => Number(uuid.slice(-12)));

    expect(await numbers({ from: '2026-11-21T10:00:00.000001Z' })).toEqual([1, 2, 3]);
    expect(await numbers({ from: '2026-11-21T10:00:00.000002Z' })).toEqual([2, 3]);
    expect(await numbers({ to: '2026-11-23T10:00:00Z' })).toEqual([1, 2]);
    expect(await numbers({ from: '2026-11-22', to: '2026-11-24', status: 'completed' })).toEqual([3]);
  });
});

/** The first columns of every exported table. */
const OWN =
  'uuid,status,current_step,created_at,updated_at,completed_at,anonymized_at,begun_version,completed_version,locale,user_email,meta';
/** The times of a draft that was not anonymised, and no versions and language: submissions of these tests are stored without the service. */
const TIMES = '2026-11-21T10:00:00.000001Z,2026-11-21T11:00:00.000001Z,,,,,';
const times = { createdAt: '2026-11-21T10:00:00.000001Z', updatedAt: '2026-11-21T11:00:00.000001Z' };

/** Returns the lines without their first twelve columns. Expects new drafts with the times above and no meta. */
function rowsOf(stdout: string): string[] {
  const lines = stdout.split('\r\n');
  expect(lines.pop()).toBe('');
  const own = new RegExp(`^(${OWN}|[-0-9a-f]{36},draft,1,${TIMES},ada@example.org,)(,|$)`);
  return lines.map((line) => {
    expect(line).toMatch(own);
    return line.replace(own, '');
  });
}

const csvOf = ({ form }: BuiltForm, ...words: string[]) =>
  run(['submissions', 'export', '--form', form.slug, '--format', 'csv', ...words]);

describe('an export in CSV (X2)', () => {
  it('has a column for each field that can hold a value, in the order of the schema', async () => {
    const built = await buildForm(use.database.dataSource, {
      steps: [
        { late: { order: 2 }, early: { order: 1 }, title: { type: 'heading', order: 0 } },
        { status: {}, meta: {}, 'a,b': {}, 'values.status': {} },
      ],
    });
    const columns = 'early,late,values.values.status,values.meta,"a,b",values.status';
    expect((await csvOf(built)).stdout).toBe(`${OWN},${columns}\r\n`);
    await submit(
      built,
      { uuid: uuidOf('ae', 1), meta: { source: 'web', note: 'a;=1' }, ...times },
      { early: 'x "y"', late: 'one\ntwo', status: '=cmd', 'a,b': '-5' },
    );
    expect((await csvOf(built)).stdout).toBe(
      `${OWN},${columns}\r\n` +
        `019ae000-0000-7000-8000-000000000001,draft,1,${TIMES},ada@example.org,` +
        `"{""source"":""web"",""note"":""a\\u003b=1""}","x ""y""","one\ntwo",'=cmd,,-5,\r\n`,
    );
  });

  it('begins with a byte order mark for Excel, and reports cells that Excel would cut', async () => {
    const built = await buildForm(use.database.dataSource);
    await submit(built, { uuid: uuidOf('b7', 1), ...times }, { name: 'Ünïcode' });
    const { stdout, stderr } = await csvOf(built, '--excel');
    expect(stdout).toBe(`\uFEFF${(await csvOf(built)).stdout}`);
    expect(stderr).toBe('Exported 1 submission.\n');

    await submit(built, { uuid: uuidOf('b7', 2), ...times }, { name: 'x'.repeat(32_768) });
    expect((await csvOf(built, '--excel')).stderr).toBe(
      'Exported 2 submissions.\n' +
        `1 cell is longer than the 32767 characters that Excel can hold, the first in "name" of the submission ${uuidOf('b7', 2)}.\n`,
    );
    expect((await csvOf(built)).stderr).toBe('Exported 2 submissions.\n');
  });

  it.each([['--labels'], ['--excel'], ['--records', 'rows']])(
    'is needed for the option %s',
    async (...words) => {
      expect(await run(['submissions', 'export', '--form', 'any', ...words])).toEqual({
        status: 1,
        stdout: '',
        stderr: `formtrail: "${words[0]}" is an option of CSV. Add "--format csv", or leave it out.\n`,
      });
    },
  );

  it('has labels instead of codes and values of options, and distinguishes equal labels', async () => {
    const built = await buildForm(use.database.dataSource, {
      steps: [
        {
          colour: { label: 'Colour', type: 'checkbox', options: ['red', 'white', 'both'] },
          other: { label: 'Colour', type: 'select', options: ['a', 'b'] },
          status: { label: 'status' },
          kind: { label: '', isRepeatable: true, type: 'radio', options: ['x'] },
        },
      ],
    });
    for (const [code, value, label] of [
      ['colour', 'red', 'Red'],
      ['colour', 'white', 'White'],
      ['colour', 'both', 'Red, White'],
      ['other', 'a', 'Same'],
      ['other', 'b', 'Same'],
      ['kind', 'x', 'The X'],
    ] as const)
      await use.database.dataSource.manager.update(
        Option,
        { fieldId: built.fields[code]!.id, value },
        { label },
      );
    const entity = await buildEntity(use.database.dataSource, built, { name: 'e', label: 'Entity' }, [
      'kind',
    ]);
    const uuid = uuidOf('b6', 1);
    await submit(built, { uuid, ...times }, { colour: 'red, white', other: 'a', status: 'x' });
    const record = await addRecord(built, entity, uuid);
    await submit(built, { uuid }, { kind: [[record, 'x']] });
    await submit(built, { uuid: uuidOf('b6', 2), ...times }, { colour: 'both', other: 'gone' });
    await submit(built, { uuid: uuidOf('b6', 3), ...times }, { colour: 'white,gone', other: 'Same (a)' });

    expect(rowsOf((await csvOf(built, '--labels')).stdout)).toEqual([
      'entity,entity_record_id,Colour (colour),Colour (other),status (status),kind',
      `Entity,${record},"Red, White",Same (a),x,The X`,
      ',,"""Red, White""",gone,,',
      ',,"""white,gone""",Same (a) (not an option),,',
    ]);
    const json = await csvOf(built, '--labels', '--records', 'json');
    expect(json.stdout).toContain(`""entity"":""Entity"",""values"":{""kind"":""The X""}`);
  });
});

describe('an export in CSV of a form with entities', () => {
  const repeatable = { isRepeatable: true };
  let claims = 0;

  /** Builds a form with two entities that have the same label, and a submission with records of both. */
  async function newClaim(values: StoredSubmission[2] = {}) {
    const built = await buildForm(use.database.dataSource, {
      steps: [{ name: {}, amount: repeatable, note: repeatable, city: repeatable, tag: repeatable }],
    });
    const newEntity = (name: string, of: string[]) =>
      buildEntity(use.database.dataSource, built, { name, isRepeatable: true, label: 'Costs' }, of);
    const [expense, trip] = [
      await newEntity('expense', ['amount', 'note']),
      await newEntity('trip', ['city']),
    ];
    claims += 1;
    const uuid = uuidOf('f0', claims);
    await submit(built, { uuid, ...times }, values);
    const ids: number[] = [];
    for (const entity of [expense, expense, trip]) ids.push(await addRecord(built, entity, uuid));
    const [first, second, other] = ids as [number, number, number];
    const store = (stored: StoredSubmission[2]) => submit(built, { uuid }, stored);
    return { built, expense, uuid, first, second, other, store };
  }

  it('has a row for each record, even if values contain line breaks, and one for values without a record', async () => {
    const { built, expense, uuid, first, second, other, store } = await newClaim();
    const empty = await addRecord(built, expense, uuid);
    await store({
      name: [[second, 'Ada']],
      amount: [
        [second, '20'],
        [first, '10'],
      ],
      note: [
        [first, 'one\ntwo'],
        [second, 'taxi'],
      ],
      city: [[other, 'Köln']],
      tag: [[second, 'x']],
    });
    await submit(built, { uuid: uuidOf('ff', 2), ...times }, { name: 'Bob', note: 'all', amount: '' });

    const { stdout, stderr } = await csvOf(built);

    expect(stderr).toBe('Exported 2 submissions.\n');
    expect(rowsOf(stdout)).toEqual([
      'entity,entity_record_id,name,amount,note,city,tag',
      `expense,${first},Ada,10,"one\ntwo",,`,
      `expense,${second},Ada,20,taxi,,x`,
      `trip,${other},Ada,,,Köln,`,
      `expense,${empty},Ada,,,,`,
      ',,Bob,,all,,',
    ]);
    expect((await csvOf(built, '--records', 'rows')).stdout).toBe(stdout);
  });

  it('has records as exact JSON in one cell, without fields that have no value', async () => {
    const { built, first, second, other, store } = await newClaim({ name: 'Ada', tag: 'all' });
    const value = 'a "b"\r\n;=1+1;\t-2';
    await store({ note: [[first, value]], amount: [[second, '']] });
    await submit(built, { uuid: uuidOf('ff', 3), ...times });

    const [header, row, none] = rowsOf((await csvOf(built, '--records', 'json')).stdout);
    expect([header, none]).toEqual(['records,name', '[],']);
    const [, cell = ''] = /^"(.*)",Ada$/.exec(row!) ?? [];
    expect(cell).not.toContain(';=');
    expect(JSON.parse(cell.replaceAll('""', '"'))).toEqual([
      { id: null, entity: null, values: { tag: 'all' } },
      { id: first, entity: 'expense', values: { note: value } },
      { id: second, entity: 'expense', values: { amount: '' } },
      { id: other, entity: 'trip', values: {} },
    ]);
  });

  it('has values as lines, one line for each record of the entity', async () => {
    const { built, first, second, other, store } = await newClaim();
    await store({ amount: [[second, '20']], note: [[first, 'a']], city: [[other, 'x']], tag: 'all' });
    expect(rowsOf((await csvOf(built, '--records', 'lines')).stdout)).toEqual([
      'name,amount,note,city,tag',
      ',"\n20","a\n",x,all',
    ]);
  });

  it('rejects --records lines before it writes anything if a value in a record has a line break', async () => {
    const { built, uuid, first, store } = await newClaim({ name: 'may have\none' });
    // These 101 submissions fill the first page of the export, so the tested submission is on the second page.
    await query(
      `insert into submissions (uuid, form_id, user_id)
       select ('019b3000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, $2 from generate_series(1, 101) n`,
      ...[built.form.id, user.id],
    );
    expect((await csvOf(built, '--records', 'lines')).status).toBe(0);
    await store({ note: [[first, '']] });
    for (const lineBreak of ['\n', '\r\n', '\r', '\u2028', '\u0085']) {
      await query(
        'update submission_values set value = $2 where entity_record_id = $1',
        first,
        `a${lineBreak}b`,
      );
      expect(await csvOf(built, '--records', 'lines')).toEqual({
        status: 1,
        stdout: '',
        stderr:
          `formtrail: "--records lines" cannot be used: the field "note" of the submission ${uuid} has a line break ` +
          'in a value, which would shift the lines after it. Use "--records rows", which writes a row for each ' +
          'record, or "--records json".\n',
      });
    }
    expect((await csvOf(built, '--records', 'lines', '--status', 'completed')).status).toBe(0);
  });

  it.each([
    ['note', 'in no record', () => null],
    ['note', 'in a record of another entity', ({ other }: { other: number }) => other],
    ['tag', 'in a record, without an entity', ({ first }: { first: number }) => first],
  ])('rejects --records lines if %s has a value %s', async (code, _, recordOf) => {
    const { built, uuid, store, ...records } = await newClaim({ name: 'Ada', tag: 'all' });
    await store({ [code]: [[recordOf(records), '1']] });
    const { stdout, stderr } = await csvOf(built, '--records', 'lines');
    expect(stdout).toBe('');
    expect(stderr).toContain(
      `the field "${code}" of the submission ${uuid} has a value that belongs to no record of its entity, so there is no line for it.`,
    );
  });

  it('writes a submission in many parts if its rows are far longer than its stored values', async () => {
    const { built, expense, uuid } = await newClaim({ name: 'x'.repeat(60_000) });
    await query(
      `insert into entity_records (submission_uuid, form_id, entity_id) select $1, $2, $3 from generate_series(1, 47)`,
      ...[uuid, built.form.id, expense.id],
    );
    const { text, parts } = await exported(built, { format: 'csv' });
    expect(text.length).toBeGreaterThan(50 * 60_000);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(150_000);
  });
});

describe('an export as shown (N3)', () => {
  const service = useServiceOn(use);

  /** A form whose labels have changed between two completed submissions and a draft. */
  async function newHistory() {
    const manager = () => use.database.dataSource.manager;
    const draft = await newDraftOf(
      { database: use.database, service },
      {
        steps: [
          {
            colour: { label: 'Colour', type: 'checkbox', options: ['red', 'blue'] },
            note: { label: 'Note' },
            place: { label: 'Place', isRepeatable: true },
          },
        ],
        entities: [{ name: 'trip', label: 'Trip', isRepeatable: true, of: ['place'] }],
      },
    );
    const { client, form, fields } = draft;
    const edit = (label: string) =>
      service.hearing(() =>
        manager().transaction(async (panel) => {
          for (const code of ['colour', 'note', 'place'])
            await panel.update(Field, fields[code]!.id, { label: `${label} ${code}` });
          const red = { fieldId: fields['colour']!.id, value: 'red' };
          await panel.update(Option, red, { label: `${label} red` });
          await panel.update(EntityDefinition, { formId: form.id }, { label: `${label} trip` });
        }),
      );
    const begin = async (isCompleted: boolean) => {
      const { body } = await client.post('/api/v1/submissions', { form_uuid: form.uuid });
      const path = `/api/v1/submissions/${body.data.uuid}`;
      const { body: added } = await client.post(`${path}/records`, { entity: 'trip' });
      const values = [
        { field_code: 'colour', value: 'red,blue' },
        { field_code: 'note', value: 'n' },
        { field_code: 'place', value: 'Oslo', entity_record_id: added.data.id },
      ];
      expect((await client.post(`${path}/values`, { values })).status).toBe(200);
      if (isCompleted) expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
    };
    await client.delete(draft.path);
    for (const [label, isCompleted] of [
      ['Old', true] as const,
      ['New', true] as const,
      ['Now', false] as const,
    ]) {
      await edit(label);
      await begin(isCompleted);
    }
    return draft;
  }

  it('has the options of each completed version, and the column names of the newest', async () => {
    const draft = await newHistory();
    const labels = { format: 'csv', labels: true } as const;
    const rows = async (format: Format) =>
      (await exported(draft, format)).text
        .trim()
        .split('\r\n')
        .map((line) => line.replace(/^([^,]*,){12}/, '').replace(/\d+/, 'ID'));
    const today = [
      'entity,entity_record_id,Now colour,Now note,Now place',
      ...Array<string>(3).fill('Now trip,ID,"Now red, blue",n,Oslo'),
    ];
    expect(await rows(labels)).toEqual(today);
    expect(await rows({ ...labels, asShown: true })).toEqual([
      'entity,entity_record_id,New colour,New note,New place',
      'New trip,ID,"Old red, blue",n,Oslo',
      'New trip,ID,"New red, blue",n,Oslo',
      'New trip,ID,"Now red, blue",n,Oslo',
    ]);
    expect((await exported(draft, { ...labels, asShown: true })).warnings).toEqual([]);

    const [plain] = linesOf((await exported(draft)).text);
    expect(Object.keys(plain.values[0])).not.toContain('label');
    // A field that is retired since keeps its label.
    await service.hearing(() =>
      use.database.dataSource.manager.update(Field, draft.fields['note']!.id, {
        retiredAt: new Date('2026-11-26'),
      }),
    );
    const lines = linesOf((await exported(draft, { asShown: true })).text);
    expect(lines.map(({ values }) => values.map(({ label, shown }: any) => [label, shown]))).toEqual(
      ['Old', 'New', 'Now'].map((label) => [
        [`${label} colour`, `${label} red, blue`],
        [`${label} note`, 'n'],
        [`${label} place`, 'Oslo'],
      ]),
    );

    await query(`update form_versions set schema = '{}' where form_id = $1`, draft.form.id);
    await query('update fields set retired_at = null where id = $1', draft.fields['note']!.id);
    expect(await rows({ ...labels, asShown: true })).toEqual(today);
    expect((await exported(draft, { ...labels, asShown: true })).warnings).toEqual([
      expect.stringMatching(/have the current labels, .* contains no valid schema of them: \d+, \d+\.$/),
    ]);
  });
});

describe('formtrail submissions export', () => {
  let many: BuiltForm;

  beforeAll(async () => {
    many = await buildForm(use.database.dataSource);
    // Insert more submissions than fit into the buffer of a pipe.
    await query(
      `insert into submissions (uuid, form_id, user_id, status)
       select gen_random_uuid(), $1, $2, 'completed' from generate_series(1, 5000)`,
      ...[many.form.id, user.id],
    );
  });

  const words = (...more: string[]) => ['submissions', 'export', '--form', many.form.slug, ...more];

  it('prints only the results, and their number on standard error', async () => {
    const { status, stdout, stderr } = await run(words('--status', 'completed', '--since', '2026-01-01'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'Exported 5000 submissions.\n' });
    expect(linesOf(stdout)).toHaveLength(5000);
    expect(await run(words('--status', 'draft'))).toEqual({
      status: 0,
      stdout: '',
      stderr: 'Exported 0 submissions.\n',
    });
  });

  it('takes days, the last included', async () => {
    const count = async (...options: string[]) => (await run(words(...options))).stderr;
    const today = new Date().toISOString().slice(0, 10);
    expect(await count('--from', '1d', '--to', today)).toBe('Exported 5000 submissions.\n');
    expect(await count('--to', '2026-01-01')).toBe('Exported 0 submissions.\n');
  });

  it('says what to do if the form does not exist', async () => {
    expect(await run(['submissions', 'export', '--form', 'nowhere'])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'formtrail: There is no form with the slug "nowhere". "forms list" shows all forms.\n',
    });
  });

  it('ends with status 1 and no stack trace when its reader closes the pipe', async () => {
    const child = start(words());
    child.stdout!.once('data', () => child.stdout!.destroy());
    let stderr = '';
    child.stderr!.on('data', (part: Buffer) => (stderr += part.toString()));
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  });

  it('ends on SIGINT with status 130, even while its reader does not read, and is in the audit log', async () => {
    const recorded = async () => {
      const sql = `select from audit_log where action = 'submissions.exported' and subject = $1`;
      return (await query(sql, `form:${many.form.slug}`)).length as number;
    };
    const before = await recorded();
    const child = start(words());
    child.stdout!.pause();
    let stderr = '';
    child.stderr!.on('data', (part: Buffer) => (stderr += part.toString()));
    await eventually(
      'the export waits for its reader, in the middle of its transaction',
      async () => {
        const waiting = await query(
          `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
              and state_change < now() - interval '300 milliseconds'`,
        );
        return waiting.length > 0;
      },
      PATIENCE,
    );
    child.kill('SIGINT');
    const status = await new Promise((resolve) => child.on('exit', resolve));
    child.stdout!.destroy();
    expect(status).toBe(130);
    await eventually('it says how far it came', () => stderr.endsWith('\n'), PATIENCE);
    expect(stderr).toMatch(/^Interrupted after at least \d+ submissions?\.\n$/);
    expect(await recorded()).toBe(before + 1);
  });
});
