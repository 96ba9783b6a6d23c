import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Submission, SubmissionValue, User, UserIdentity } from '../src/entities.js';
import { commandLine } from './support/command-line.js';
import { type BuiltForm, buildForm } from './support/forms.js';
import { onOneServer } from './support/it-on-one-server.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';
import { asAnotherProgram, testServer } from './support/test-server.js';

/** The embedded server comes without the programs of PostgreSQL, and those of the machine may be older. */
const hasPrograms =
  testServer().connection.connectionString !== undefined &&
  spawnSync('pg_dump', ['--version']).error === undefined;

const AGES = { old: '40 days', young: '1 day' } as const;

/** Nothing records the deletions in a distributed database. */
onOneServer('erasures (T3)', () => {
  let directory: string;
  /** The database in which something is deleted after the backup. */
  let source: TestDatabase;
  /** The restored backup. */
  let restored: TestDatabase;
  let built: BuiltForm;
  let goneForm: BuiltForm;
  const users: Record<string, User> = {};
  const submissions: Record<string, string> = {};

  const on = ({ url }: TestDatabase) => commandLine({ databaseUrl: url, directory }).run;
  const sqlOn = <Row>({ connection }: TestDatabase, text: string, values: readonly unknown[] = []) =>
    asAnotherProgram(connection, async (client) => (await client.query(text, [...values])).rows as Row[]);

  async function submit(name: string, user: string, age: keyof typeof AGES, form = built): Promise<void> {
    const { manager } = source.dataSource;
    const uuid = (submissions[name] = randomUUID());
    await manager.query(
      `insert into submissions (uuid, form_id, user_id, status, created_at, updated_at)
       select $1, $2, $3, 'completed', moment, moment from (select now() - $4::interval as moment) as age`,
      [uuid, form.form.id, users[user]?.id, AGES[age]],
    );
    for (const [code, { id: fieldId, isRepeatable }] of Object.entries(form.fields)) {
      const key = { submissionUuid: uuid, formId: form.form.id, fieldId, isRepeatable };
      await manager.insert(SubmissionValue, { ...key, entityRecordId: null, value: `${code} of ${name}` });
    }
  }

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'formtrail-erasures-'));
    source = await testDatabase();
    const { dataSource } = source;
    const { manager } = dataSource;
    const steps = [{ name: { isPersonal: true }, city: {} }];
    built = await buildForm(dataSource, { form: { slug: 'kept', keepPersonalDays: 30 }, steps });
    goneForm = await buildForm(dataSource, { form: { slug: 'gone' }, steps });
    for (const name of ['ada', 'bob', 'eve'])
      users[name] = await manager.save(
        manager.create(User, { email: `${name}@example.org`, createdAt: new Date('2020-01-01') }),
      );
    await manager.insert(UserIdentity, {
      ...{ userId: users['ada']?.id, issuer: 'https://id.example.org', subject: 'ada-7' },
    });
    await submit('ofAda', 'ada', 'young');
    await submit('deleted', 'bob', 'young');
    await submit('bySql', 'bob', 'young');
    await submit('ofGoneForm', 'bob', 'young', goneForm);
    await submit('old', 'bob', 'old');
    await submit('kept', 'bob', 'young');
    await submit('truncated', 'eve', 'young');
    await source.close();
    restored = await testDatabase(new URL(source.url).pathname.slice(1));
  });
  afterEach(async () => {
    await restored.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** Deletes something in every way, as operators, retention, a panel and its SQL do. */
  async function forget(): Promise<void> {
    const run = on(source);
    for (const words of [
      ['users', 'erase', '--email', 'ada@example.org', '--yes'],
      ['submissions', 'delete', submissions['deleted'] ?? '', '--yes'],
      ['forms', 'delete', 'gone', '--with-submissions', '--yes'],
      ['submissions', 'purge', '--due'],
    ]) {
      const { status, stderr } = await run(words);
      expect([words, status, stderr]).toEqual([words, 0, expect.any(String)]);
    }
    await sqlOn(source, 'delete from submissions where uuid = $1', [submissions['bySql']]);
    // Created and deleted after the backup.
    await sqlOn(
      source,
      `with new as (insert into users (email) values ('new@example.org') returning id)
       insert into submissions (uuid, form_id, user_id) select gen_random_uuid(), $1, id from new`,
      [built.form.id],
    );
    await sqlOn(
      source,
      `delete from submissions using users where users.id = user_id and email = 'new@example.org'`,
    );
    await sqlOn(source, `delete from users where email = 'new@example.org'`);
  }

  const saved = async (): Promise<string> => {
    const { status, stdout, stderr } = await on(source)(['db', 'erasures']);
    expect([status, stderr]).toEqual([0, '']);
    const file = path.join(directory, 'erasures.ndjson');
    await writeFile(file, stdout);
    return file;
  };
  const linesOf = async (file: string) =>
    (await readFile(file, 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const left = async (database: TestDatabase) => {
    const found = await database.dataSource.manager.find(Submission, { select: { uuid: true } });
    const names = Object.entries(submissions).filter(([, uuid]) => found.some((one) => one.uuid === uuid));
    return names.map(([name]) => name).toSorted();
  };
  const emails = async (database: TestDatabase) =>
    (await database.dataSource.manager.find(User, { order: { email: 'ASC' } })).map(({ email }) => email);
  const answers = async () => {
    const rows = await restored.dataSource.manager.find(SubmissionValue, {
      where: { submissionUuid: submissions['old'] ?? '' },
    });
    return rows.map(({ value }) => value);
  };

  it('"db erasures" prints each deletion with its reason, and no contents', async () => {
    await forget();
    const file = await saved();
    const lines = await linesOf(file);
    const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const line = (kind: string, reason: string, more: object) =>
      expect.objectContaining({ id: expect.any(String), happened_at: TIME, kind, reason, ...more });
    const deleted = (name: string, reason: string) =>
      line('submission.deleted', reason, { submission_uuid: submissions[name] });
    expect(lines).toEqual(
      expect.arrayContaining([
        deleted('ofAda', 'erasure'),
        line('user.erased', 'erasure', {
          user_id: users['ada']?.id,
          identity_hashes: [expect.stringMatching(/^[\da-f]{64}$/)],
        }),
        deleted('deleted', 'operator'),
        deleted('ofGoneForm', 'operator'),
        line('submission.anonymized', 'retention', {
          submission_uuid: submissions['old'],
          field_ids: [built.fields['name']?.id],
        }),
        deleted('bySql', 'sql'),
        line('submission.deleted', 'sql', {}),
        line('user.erased', 'sql', {}),
      ]),
    );
    expect(lines).toHaveLength(8);
    const text = await readFile(file, 'utf8');
    for (const secret of ['@example.org', 'ada-7', 'of old']) expect(text).not.toContain(secret);
  });

  it.each(['--erasures', '--from'])(
    '"db restored %s" deletes again what a restore has brought back',
    async (option) => {
      await forget();
      const from = option === '--from' ? source.url : await saved();
      expect(await left(restored)).toEqual(Object.keys(submissions).toSorted());
      const [{ anonymized_at }] = (await sqlOn<{ anonymized_at: Date }>(
        source,
        'select anonymized_at from submissions where uuid = $1',
        [submissions['old']],
      )) as [{ anonymized_at: Date }];

      const { status, stdout, stderr } = await on(restored)(['db', 'restored', option, from]);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toBe(
        'Read 8 erasures. Deleted again: 4 submissions, the personal answers of 1 submission, and 1 user. Everything else was gone already.\n' +
          'Raised the versions of 2 forms and 0 UUIDs of deleted forms by 10,000.\n',
      );
      expect(await left(restored)).toEqual(['kept', 'old', 'truncated']);
      expect(await emails(restored)).toEqual(['bob@example.org', 'eve@example.org']);
      expect(await answers()).toEqual(['city of old']);
      const old = await restored.dataSource.manager.findOneByOrFail(Submission, {
        uuid: submissions['old'] ?? '',
      });
      expect(old.anonymizedAt).toEqual(anonymized_at);

      // The restored database has the same record afterwards, and a second run does nothing.
      const again = await on(restored)(['db', 'erasures']);
      expect(again.stdout).toBe((await on(source)(['db', 'erasures'])).stdout);
      const second = await on(restored)(['db', 'restored', option, from, '--json']);
      expect(JSON.parse(second.stdout)).toMatchObject({
        erasures: { read: 8, submissions: 0, anonymized: 0, users: 0, held: [] },
      });
    },
  );

  it('leaves a new user alone who has got the id of an erased one, and finds the erased one by identity', async () => {
    await forget();
    const file = await saved();
    const [{ id: newest }] = (await sqlOn<{ id: number }>(restored, 'select max(id) as id from users')) as [
      { id: number },
    ];
    const lines = (await linesOf(file)).map((line) =>
      // The user who was created after the backup has got the id that the next user of the restored database gets.
      line['kind'] === 'user.erased' && line['reason'] === 'sql' ? { ...line, user_id: newest + 1 } : line,
    );
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    await sqlOn(restored, `insert into users (id, email) values ($1, 'late@example.org')`, [newest + 1]);
    // The account of the erased user has another id in the restored database.
    await sqlOn(restored, `update user_identities set user_id = $1`, [users['eve']?.id]);

    expect((await on(restored)(['db', 'restored', '--erasures', file])).status).toBe(0);
    expect(await emails(restored)).toEqual(['bob@example.org', 'late@example.org']);
  });

  it('names what stays because it is held, and ends with 1; everything else is deleted', async () => {
    await forget();
    const file = await saved();
    await sqlOn(restored, 'update submissions set held = true where uuid = any ($1)', [
      [submissions['ofAda'], submissions['old']],
    ]);
    const { status, stderr } = await on(restored)(['db', 'restored', '--erasures', file]);
    expect(status).toBe(1);
    expect(stderr).toContain('2 held submissions stayed, and users who were erased with them: ');
    for (const name of ['ofAda', 'old']) expect(stderr).toContain(submissions[name]);
    expect(await left(restored)).toEqual(['kept', 'ofAda', 'old', 'truncated']);
    expect(await answers()).toHaveLength(2);

    await sqlOn(restored, 'update submissions set held = false');
    expect((await on(restored)(['db', 'restored', '--erasures', file])).status).toBe(0);
    expect(await left(restored)).toEqual(['kept', 'old', 'truncated']);
    expect(await emails(restored)).toEqual(['bob@example.org', 'eve@example.org']);
  });

  it.each([
    ['no JSON', 'x'],
    ['another kind', { kind: 'form.deleted' }],
    ['no UUID', { submission_uuid: '7' }],
    ['no time', { happened_at: 'now' }],
    ['no day', { happened_at: '2026-02-30T00:00:00.000000Z' }],
    ['a user of a submission', { user_id: 7 }],
    ['columns of another kind', { field_ids: [1] }],
    ['an array', []],
  ])('a file with a line that is none deletes nothing: %s', async (_, change) => {
    await forget();
    const file = await saved();
    const [first] = await linesOf(file);
    const bad =
      typeof change === 'string'
        ? change
        : Array.isArray(change)
          ? '[]'
          : JSON.stringify({ ...first, ...change });
    await writeFile(file, `${await readFile(file, 'utf8')}${bad}\n`);
    const { status, stderr } = await on(restored)(['db', 'restored', '--erasures', file]);
    expect([status, stderr]).toEqual([
      1,
      `formtrail: ${file}, line 9 is no erasure, so nothing was deleted again. Give a file that "db erasures" has written.\n`,
    ]);
    expect(await left(restored)).toEqual(Object.keys(submissions).toSorted());
  });

  it('says what to do about a missing file, an unreachable database, and both options', async () => {
    const run = (...words: string[]) => on(restored)(['db', 'restored', ...words]);
    expect(await run('--erasures', 'nowhere')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^formtrail: The file nowhere cannot be read: ENOENT/),
    });
    expect(await run('--from', 'postgres://127.0.0.1:1/x')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Check the URL of "--from", and that the server is running.'),
    });
    expect(await run('--from', 'x', '--erasures', 'y')).toMatchObject({
      status: 1,
      stderr: 'formtrail: Give one of "--erasures" and "--from", not both.\n',
    });
  });

  (hasPrograms ? it : it.skip)('are applied by the commands of docs/operations/backup.md', async () => {
    const page = await readFile('docs/operations/backup.md', 'utf8');
    const [, script = ''] =
      /<!-- executed by test\/erasures\.spec\.ts -->\n```sh\n(.*?)```/s.exec(page) ?? [];
    await writeFile(path.join(directory, 'drill.sh'), script);
    await writeFile(
      path.join(directory, 'formtrail'),
      `#!/bin/sh\nexec '${process.execPath}' '${path.resolve('dist/src/cli.js')}' "$@"\n`,
      { mode: 0o755 },
    );
    const urlOf = (name: string) => Object.assign(new URL(source.url), { pathname: `/${name}` }).href;
    const { stdout } = await promisify(execFile)('sh', ['-eu', 'drill.sh'], {
      cwd: directory,
      env: {
        PATH: `${directory}:${process.env['PATH']}`,
        DATABASE_URL: source.url,
        ADMIN_URL: urlOf('postgres'),
        RESTORED: urlOf(`${new URL(source.url).pathname.slice(1)}_again`),
      },
    });
    const counts = stdout.split('\n').filter((line) => /^\d+$/.test(line));
    expect(counts).toEqual(['1', '0']);
    expect(stdout).toContain(
      'Deleted again: 1 submission, the personal answers of 0 submissions, and 1 user.',
    );
  });

  it('are written by TRUNCATE too', async () => {
    await sqlOn(source, 'truncate users cascade');
    const lines = await linesOf(await saved());
    const kinds = lines.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'submission.deleted')).toHaveLength(7);
    expect(kinds.filter((kind) => kind === 'user.erased')).toHaveLength(3);
    expect((await on(restored)(['db', 'restored', '--from', source.url])).status).toBe(0);
    expect([await left(restored), await emails(restored)]).toEqual([[], []]);
  });
});
