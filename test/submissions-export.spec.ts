import { User } from '../src/entities.js';
import { exportSubmissions } from '../src/submissions/export/export-submissions.js';
import { PATIENCE } from './support/built-service.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { type BuiltForm, buildForm, buildRecords } from './support/forms.js';
import { type StoredSubmission, storeSubmission, uuidOf } from './support/stored-submissions.js';

let { database, start, run, close } = {} as OpenCommandLine;
let user: User;

beforeAll(async () => {
  ({ database, start, run, close } = await openCommandLine());
  const { manager } = database.dataSource;
  user = await manager.save(manager.create(User, { email: 'ada@example.org' }));
}, 120_000);
afterAll(() => close());

const submit = (...stored: StoredSubmission) => storeSubmission(database.dataSource, user.id, ...stored);

async function exported(
  { form }: BuiltForm,
  options: Partial<Parameters<typeof exportSubmissions>[1]> = {},
): Promise<string> {
  let output = '';
  await exportSubmissions(
    database.dataSource,
    { slug: form.slug, format: 'ndjson', status: undefined, since: undefined, ...options },
    (text) => {
      output += text;
      return Promise.resolve();
    },
  );
  return output;
}

const linesOf = (ndjson: string): any[] =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const uuidsIn = (ndjson: string) => linesOf(ndjson).map((submission) => submission.uuid);

describe('an export in NDJSON', () => {
  it('has one submission per line, as in the API, with the address of its user', async () => {
    const built = await buildForm(database.dataSource, { steps: [{ name: {} }, { note: {} }] });
    const at = {
      createdAt: '2026-11-21T10:00:00.000001Z',
      updatedAt: '2026-11-21T10:00:00.123456Z',
    };
    const value = 'say "hi", 李 😀\r\nand =1+1\u2028';
    await submit(
      built,
      { uuid: uuidOf('aa', 1), status: 'completed', step: 2, meta: { source: 'a\nb' }, ...at },
      { note: value, name: '' },
    );

    const output = await exported(built);

    expect(output.endsWith('\n')).toBe(true);
    expect(linesOf(output)).toEqual([
      {
        uuid: uuidOf('aa', 1),
        form_id: built.form.id,
        status: 'completed',
        current_step: 2,
        meta: { source: 'a\nb' },
        created_at: '2026-11-21T10:00:00.000001Z',
        updated_at: '2026-11-21T10:00:00.123456Z',
        begun_version: null,
        completed_version: null,
        user_email: 'ada@example.org',
        values: [
          { field_id: built.fields['name']!.id, field_code: 'name', value: '', entity_record_id: null },
          { field_id: built.fields['note']!.id, field_code: 'note', value, entity_record_id: null },
        ],
        records: [],
      },
    ]);
  });

  it('has the records of a submission, including those without values', async () => {
    const built = await buildForm(database.dataSource, { steps: [{ amount: { isRepeatable: true } }] });
    const uuid = uuidOf('a9', 1);
    await submit(built, { uuid });
    const [first, second] = await buildRecords(database.dataSource, built.form.id, uuid, 2);
    await submit(built, { uuid }, { amount: [[second!, '20']] });

    const [{ values, records }] = linesOf(await exported(built));
    expect(values).toMatchObject([{ field_code: 'amount', value: '20', entity_record_id: second }]);
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{6}Z$/);
    expect(records).toEqual([first, second].map((id) => ({ id, entity: 'record', created_at })));
  });

  it('is ordered by UUID, which is the order of creation, across all pages', async () => {
    const built = await buildForm(database.dataSource);
    await database.dataSource.query(
      `insert into submissions (uuid, form_id, user_id)
       select uuidv.uuid::uuid, $1, $2 from (
         select '019ab000-0000-7000-8000-' || lpad(n::text, 12, '0') as uuid from generate_series(1, 250) n order by random()
       ) uuidv`,
      [built.form.id, user.id],
    );
    const other = await buildForm(database.dataSource);
    await submit(other, { uuid: '019ab000-0000-7000-9000-000000000001' });

    const counts: number[] = [];
    const lines: string[] = [];
    const exported = await exportSubmissions(
      database.dataSource,
      { slug: built.form.slug, format: 'ndjson', status: undefined, since: undefined },
      (text, soFar) => {
        counts.push(soFar);
        lines.push(...uuidsIn(text));
        return Promise.resolve();
      },
    );

    expect(exported).toEqual({ count: 250, warnings: [] });
    expect(counts.at(-1)).toBe(250);
    expect(counts.length).toBeGreaterThan(1);
    expect(lines).toHaveLength(250);
    expect(lines).toEqual(lines.toSorted());
  });

  it('shows the state of one moment, even if submissions are written meanwhile', async () => {
    const built = await buildForm(database.dataSource);
    for (let number = 0; number < 101; number += 1) await submit(built, { uuid: uuidOf('ac', number) });
    let output = '';
    await exportSubmissions(
      database.dataSource,
      { slug: built.form.slug, format: 'ndjson', status: undefined, since: undefined },
      async (text, soFar) => {
        output += text;
        if (soFar === 100) {
          await submit(built, { uuid: uuidOf('ac', 900) });
          await database.dataSource.query(`update submissions set status = 'completed' where form_id = $1`, [
            built.form.id,
          ]);
        }
      },
    );
    const submissions = linesOf(output);
    expect(submissions).toHaveLength(101);
    expect(submissions.at(-1)).toMatchObject({ status: 'draft' });
  });

  it('has only submissions of a status, and those written since a time, to the microsecond', async () => {
    const built = await buildForm(database.dataSource);
    const at = (number: number, status: 'draft' | 'completed', updatedAt: string) =>
      submit(built, { uuid: uuidOf('ad', number), status, updatedAt });
    await at(1, 'draft', '2026-11-21T10:00:00.000001Z');
    await at(2, 'completed', '2026-11-21T10:00:00.000002Z');
    await at(3, 'draft', '2026-11-21T10:00:00.000003Z');
    const numbers = async (options: object) =>
      uuidsIn(await exported(built, options)).map((found) => Number(found.slice(-12)));

    expect(await numbers({})).toEqual([1, 2, 3]);
    expect(await numbers({ status: 'draft' })).toEqual([1, 3]);
    expect(await numbers({ status: 'completed' })).toEqual([2]);
    expect(await numbers({ since: '2026-11-21T10:00:00.000002Z' })).toEqual([2, 3]);
    expect(await numbers({ since: '2026-11-21T12:00:00.000002+02:00', status: 'draft' })).toEqual([3]);
    expect(await numbers({ since: '2026-11-22T00:00Z' })).toEqual([]);
  });

  it('is empty for a form without submissions, and undefined for an unknown form', async () => {
    const built = await buildForm(database.dataSource);
    expect(await exported(built)).toBe('');
    expect(
      await exportSubmissions(
        database.dataSource,
        { slug: 'nowhere', format: 'csv', status: undefined, since: undefined },
        () => Promise.reject(new Error('nothing is to be written')),
      ),
    ).toBeUndefined();
  });
});

describe('formtrail submissions export', () => {
  let many: BuiltForm;

  beforeAll(async () => {
    many = await buildForm(database.dataSource);
    // Insert more submissions than fit into the buffer of a pipe.
    await database.dataSource.query(
      `insert into submissions (uuid, form_id, user_id, status)
       select gen_random_uuid(), $1, $2, 'completed' from generate_series(1, 5000)`,
      [many.form.id, user.id],
    );
  });

  const words = (...more: string[]) => ['submissions', 'export', '--form', many.form.slug, ...more];

  it('prints only the results, and their number on standard error', async () => {
    const { status, stdout, stderr } = await run(words('--status', 'completed', '--since', '2026-01-01'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'Exported 5000 submissions.\n' });
    expect(linesOf(stdout)).toHaveLength(5000);
    const csv = await run(words('--status', 'draft', '--format', 'csv'));
    expect(csv).toEqual({
      status: 0,
      stdout:
        'uuid,status,current_step,created_at,updated_at,begun_version,completed_version,user_email,meta,name\r\n',
      stderr: 'Exported 0 submissions.\n',
    });
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
    const [status, stderr] = await Promise.all([
      new Promise((resolve) => child.on('close', resolve)),
      new Promise<string>((resolve) => {
        let said = '';
        child.stderr!.on('data', (part: Buffer) => (said += part.toString())).on('end', () => resolve(said));
      }),
    ]);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  });

  it('ends on SIGINT with status 130, even while its reader does not read', async () => {
    const child = start(words());
    child.stdout!.pause();
    let stderr = '';
    child.stderr!.on('data', (part: Buffer) => (stderr += part.toString()));
    await eventually(
      'the export waits for its reader, in the middle of its transaction',
      async () => {
        const waiting = await database.dataSource.query(
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
  });
});
