import { User } from '../src/entities.js';
import { exportSubmissions } from '../src/submissions/export/export-submissions.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { OWN, rowsOf, TIMES, times } from './support/csv-rows.js';
import { type BuiltForm, buildEntity, buildForm } from './support/forms.js';
import {
  type StoredRecord,
  storeRecord,
  type StoredSubmission,
  storeSubmission,
  uuidOf,
} from './support/stored-submissions.js';

let { database, run, close } = {} as OpenCommandLine;
let user: User;

beforeAll(async () => {
  ({ database, run, close } = await openCommandLine());
  const { manager } = database.dataSource;
  user = await manager.save(manager.create(User, { email: 'ada@example.org' }));
}, 120_000);
afterAll(() => close());

const submit = (...stored: StoredSubmission) => storeSubmission(database.dataSource, user.id, ...stored);
const addRecord = (...record: StoredRecord) => storeRecord(database.dataSource, ...record);

const csvOf = ({ form }: BuiltForm, ...words: string[]) =>
  run(['submissions', 'export', '--form', form.slug, '--format', 'csv', ...words]);

describe('an export in CSV', () => {
  it('has a column for each field that can hold a value, in the order of the schema', async () => {
    const built = await buildForm(database.dataSource, {
      steps: [
        { late: { order: 2 }, early: { order: 1 }, title: { type: 'heading', order: 0 } },
        { status: {}, meta: {}, 'a,b': {}, 'values.status': {} },
      ],
    });
    await submit(
      built,
      { uuid: uuidOf('ae', 1), meta: { source: 'web', note: 'a;=1' }, ...times },
      { early: 'x "y"', late: 'one\ntwo', status: '=cmd', 'a,b': '-5' },
    );

    expect((await csvOf(built)).stdout).toBe(
      `${OWN},early,late,values.values.status,values.meta,"a,b",values.status\r\n` +
        `019ae000-0000-7000-8000-000000000001,draft,1,${TIMES},ada@example.org,` +
        `"{""source"":""web"",""note"":""a\\u003b=1""}","x ""y""","one\ntwo",'=cmd,,-5,\r\n`,
    );
  });

  it('has only its header for a form without submissions', async () => {
    const built = await buildForm(database.dataSource);
    expect((await csvOf(built)).stdout).toBe(`${OWN},name\r\n`);
  });
});

describe('an export in CSV of a form with entities', () => {
  const repeatable = { isRepeatable: true };

  /** Builds a form with two entities that have the same label. */
  async function buildClaim() {
    const built = await buildForm(database.dataSource, {
      steps: [{ name: {}, amount: repeatable, note: repeatable, city: repeatable, tag: repeatable }],
    });
    const plan = { isRepeatable: true, label: 'Costs' };
    const expense = await buildEntity(database.dataSource, built, { name: 'expense', ...plan }, [
      'amount',
      'note',
    ]);
    const trip = await buildEntity(database.dataSource, built, { name: 'trip', ...plan }, ['city']);
    return { built, expense, trip };
  }

  it('has a row for each record, even if values contain line breaks', async () => {
    const { built, expense, trip } = await buildClaim();
    const uuid = uuidOf('af', 1);
    await submit(built, { uuid, ...times });
    const [first, second, other] = [
      await addRecord(built, expense, uuid),
      await addRecord(built, expense, uuid),
      await addRecord(built, trip, uuid),
    ];
    const empty = await addRecord(built, expense, uuid);
    await submit(
      built,
      { uuid },
      {
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
      },
    );
    await submit(built, { uuid: uuidOf('af', 2), ...times }, { name: 'Bob' });

    const { stdout, stderr } = await csvOf(built);

    expect(stderr).toBe('Exported 2 submissions.\n');
    expect(rowsOf(stdout)).toEqual([
      'entity,entity_record_id,name,amount,note,city,tag',
      `expense,${first},Ada,10,"one\ntwo",,`,
      `expense,${second},Ada,20,taxi,,x`,
      `trip,${other},Ada,,,Köln,`,
      `expense,${empty},Ada,,,,`,
      ',,Bob,,,,',
    ]);
    expect((await csvOf(built, '--records', 'rows')).stdout).toBe(stdout);
  });

  it('has a separate row for values without a record', async () => {
    const { built, expense } = await buildClaim();
    const uuid = uuidOf('b0', 1);
    await submit(built, { uuid, ...times }, { name: 'Ada', note: 'all', amount: '' });
    const record = await addRecord(built, expense, uuid);
    await submit(built, { uuid }, { note: [[record, 'one']] });

    expect(rowsOf((await csvOf(built)).stdout).slice(1)).toEqual([
      ',,Ada,,all,,',
      `expense,${record},Ada,,one,,`,
    ]);
  });

  it('has records as exact JSON in one cell, without fields that have no value', async () => {
    const { built, expense } = await buildClaim();
    const uuid = uuidOf('b1', 1);
    await submit(built, { uuid, ...times }, { name: 'Ada', tag: 'all' });
    const [one, other] = [await addRecord(built, expense, uuid), await addRecord(built, expense, uuid)];
    const value = 'a "b"\r\n;=1+1;\t-2';
    await submit(built, { uuid }, { note: [[one, value]], amount: [[other, '']] });
    await submit(built, { uuid: uuidOf('b1', 2), ...times });

    const { stdout } = await csvOf(built, '--records', 'json');

    const [header, row, none] = rowsOf(stdout);
    expect([header, none]).toEqual(['records,name', '[],']);
    const [, cell = ''] = /^"(.*)",Ada$/.exec(row!) ?? [];
    expect(cell).not.toContain(';=');
    expect(JSON.parse(cell.replaceAll('""', '"'))).toEqual([
      { id: null, entity: null, values: { tag: 'all' } },
      { id: one, entity: 'expense', values: { note: value } },
      { id: other, entity: 'expense', values: { amount: '' } },
    ]);
  });

  it('has values as lines, one line for each record of the entity', async () => {
    const { built, expense, trip } = await buildClaim();
    const uuid = uuidOf('b2', 1);
    await submit(built, { uuid, ...times });
    const [first, second] = [await addRecord(built, expense, uuid), await addRecord(built, expense, uuid)];
    const other = await addRecord(built, trip, uuid);
    await addRecord(built, expense, uuid);
    await submit(
      built,
      { uuid },
      { amount: [[second, '20']], note: [[first, 'a']], city: [[other, 'x']], tag: 'all' },
    );

    expect(rowsOf((await csvOf(built, '--records', 'lines')).stdout)).toEqual([
      'name,amount,note,city,tag',
      ',"\n20\n","a\n\n",x,all',
    ]);
  });

  it.each(['\n', '\r\n', '\r', '\u2028', '\u0085'])(
    'rejects --records lines before it writes anything if a value has the line break %j',
    async (lineBreak) => {
      const { built, expense } = await buildClaim();
      // These 101 submissions fill the first page of the export, so the tested submission is on the second page.
      await database.dataSource.query(
        `insert into submissions (uuid, form_id, user_id)
         select ('019b3000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, $2 from generate_series(1, 101) n
         on conflict do nothing`,
        [built.form.id, user.id],
      );
      const uuid = `019b3fff-0000-7000-8000-${String(built.form.id).padStart(12, '0')}`;
      await submit(built, { uuid, ...times }, { name: `may have${lineBreak}one` });
      expect((await csvOf(built, '--records', 'lines')).status).toBe(0);
      const record = await addRecord(built, expense, uuid);
      await submit(built, { uuid }, { note: [[record, `one${lineBreak}two`]] });

      expect(await csvOf(built, '--records', 'lines')).toEqual({
        status: 1,
        stdout: '',
        stderr:
          `formtrail: "--records lines" cannot be used: the field "note" of the submission ${uuid} has a line break ` +
          'in a value, which would shift the lines after it. Use "--records rows", which writes a row for each ' +
          'record, or "--records json".\n',
      });
      const completed = await csvOf(built, '--records', 'lines', '--status', 'completed');
      expect(completed.status).toBe(0);
      await database.dataSource.query('delete from submissions where form_id = $1', [built.form.id]);
    },
  );

  it.each([
    ['note', 'in no record', () => null],
    ['note', 'in a record of another entity', (_: number, trip: number) => trip],
    ['tag', 'in a record, without an entity', (expense: number) => expense],
  ])('rejects --records lines if %s has a value %s', async (code, _, recordOf) => {
    const { built, expense, trip } = await buildClaim();
    const uuid = `019b4000-0000-7000-8000-${String(built.form.id).padStart(12, '0')}`;
    await submit(built, { uuid, ...times }, { name: 'Ada', tag: 'all' });
    const records = [await addRecord(built, expense, uuid), await addRecord(built, trip, uuid)] as const;
    expect((await csvOf(built, '--records', 'lines')).status).toBe(0);
    await submit(built, { uuid }, { [code]: [[recordOf(...records), '1']] });

    const { stdout, stderr } = await csvOf(built, '--records', 'lines');
    expect(stdout).toBe('');
    expect(stderr).toContain(
      `the field "${code}" of the submission ${uuid} has a value that belongs to no record of its entity, so there is no line for it.`,
    );
  });

  it('writes a submission in many parts if its rows are far longer than its stored values', async () => {
    const { built, expense } = await buildClaim();
    const uuid = uuidOf('b5', 1);
    await submit(built, { uuid, ...times }, { name: 'x'.repeat(60_000) });
    await database.dataSource.query(
      `insert into entity_records (submission_uuid, form_id, entity_id) select $1, $2, $3 from generate_series(1, 50)`,
      [uuid, built.form.id, expense.id],
    );
    let longest = 0;
    let total = 0;
    await exportSubmissions(
      database.dataSource,
      { slug: built.form.slug, format: 'csv', status: undefined, since: undefined },
      (text) => {
        longest = Math.max(longest, text.length);
        total += text.length;
        return Promise.resolve();
      },
    );
    expect(total).toBeGreaterThan(50 * 60_000);
    expect(longest).toBeLessThan(150_000);
  });
});
