import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MIGRATIONS } from '../src/schema.js';
import { catalog } from './support/catalog.js';
import { ended, useCommandLine } from './support/command-line.js';
import { buildForm } from './support/forms.js';
import { isOneServer, itOnOneServer } from './support/it-on-one-server.js';
import { asAnotherProgram } from './support/test-server.js';

const ROOT = path.resolve(__dirname, '..');
const EXAMPLE = path.join(ROOT, 'examples/forms/job-application.json');
const TOKEN = /^ftk_[\w-]{43}\n$/;
const UUID = '3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314';
/** For commands that must use no database: nothing listens there. */
const AWAY = { DATABASE_URL: 'postgres://127.0.0.1:1/x' };

const use = useCommandLine();
const { start, run } = use;

const succeeded = (stdout: unknown) => ({ status: 0, stdout, stderr: '' });
const failed = (stderr: unknown) => ({ status: 1, stdout: '', stderr });
const query = <Row>(sql: string, values: unknown[] = []) => use.database.dataSource.query<Row[]>(sql, values);
const write = (file: string, content: string | Buffer) => writeFile(path.join(use.directory, file), content);

async function json(...words: string[]): Promise<any> {
  const { status, stdout } = await run([...words, '--json']);
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

it.each([
  [[], ['tokens', 'users', 'forms', 'submissions', 'db', 'serve', 'DATABASE_URL', '--version']],
  [['forms'], ['new', 'import', 'lint', 'diff', 'versions', 'log', 'export', 'schema', 'retire', 'delete']],
  [
    ['tokens', 'create'],
    ['--email <address>', '--name <text>', '--expires-in <duration>'],
  ],
])('formtrail %j --help prints help, without a database', async (words, expected) => {
  const outcome = await run([...words, '--help'], AWAY);
  expect(outcome).toEqual(succeeded(expect.stringContaining(`Usage: ${['formtrail', ...words].join(' ')} `)));
  for (const word of expected) expect(outcome.stdout).toContain(word);
});

it.each([
  ['', 'Usage: formtrail'],
  ['tokens', 'Usage: formtrail tokens'],
  ['froms', "unknown command 'froms'"],
  ['tokens make', "unknown command 'make'"],
  ['tokens create', "required option '--email <address>' not specified"],
  ['tokens create --email ada', 'It must be an email address'],
  ['tokens revoke x', 'It must be a whole number from 1'],
  ['forms diff a --from 0', 'as "forms versions" shows it'],
  ['forms new Contact', 'It must be lower-case letters and digits with single hyphens'],
  ['forms import', "missing required argument 'file'"],
  ['forms export a b', 'too many arguments'],
  ['submissions export --form x --since yesterday', 'It must be a date such as 2026-11-21'],
  ['submissions export --form x --format xml', 'Allowed choices are ndjson, csv'],
  ['submissions delete x', 'It must be a UUID'],
  ['users erase', 'Name a user with --email ADDRESS, --user ID, or --issuer URL and --subject ACCOUNT.'],
  ['users sign-out --issuer x', 'give --issuer and --subject together.'],
  ['users sign-out --user 0', 'It must be a whole number from 1, as "user_id" in the log shows it.'],
  ['submissions purge --drafts-older-than 59m', 'from 1h to 36500d'],
  ['db migrate --force', "unknown option '--force'"],
])('the invalid command "%s" fails with a sentence on standard error', async (words, sentence) => {
  const outcome = await run(words.split(' ').filter(Boolean));
  expect(outcome).toEqual(failed(expect.stringContaining(sentence)));
  expect(outcome.stderr).not.toMatch(/^ +at /m);
});

describe('formtrail tokens', () => {
  it('create prints only the token, and creates one user per address, ignoring letter case (A2, A3, A6)', async () => {
    const email = ['--email', 'Ada@Example.org'];
    const first = await run(['tokens', 'create', ...email, '--name', 'Laptop', '--expires-in', '90d']);
    const second = await run(['tokens', 'create', '--email', 'ada@example.ORG']);
    for (const outcome of [first, second])
      expect(outcome).toMatchObject({ status: 0, stdout: expect.stringMatching(TOKEN) });
    expect(first.stderr).toMatch(/^Token \d+ of Ada@Example.org expires at [\d-]+T[\d:]+Z\.\n$/);

    const [laptop, other] = (await json('tokens', 'list')).slice(-2);
    expect(laptop).toEqual({
      ...{ id: expect.any(Number), email: 'Ada@Example.org', name: 'Laptop', status: 'valid' },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      expires_at: expect.any(String),
    });
    expect(Date.parse(laptop.expires_at) - Date.parse(laptop.created_at)).toBe(90 * 86_400_000);
    expect(other).toMatchObject({ email: 'Ada@Example.org', name: null, expires_at: null, status: 'valid' });
  });

  it('list prints aligned columns, and revoke is final (A3)', async () => {
    for (const email of ['a@example.org', 'somebody.else@example.org'])
      await run(['tokens', 'create', '--email', email]);
    const [{ id: expired }, { id: revoked }] = (await json('tokens', 'list')).slice(-2);
    await query(`update api_tokens set expires_at = now() where id = $1`, [expired]);

    const revoke = (id: unknown) => run(['tokens', 'revoke', String(id)]);
    const revokedAt = () => query('select revoked_at from api_tokens where id = $1', [revoked]);
    expect(await revoke(revoked)).toEqual(succeeded(`Token ${revoked} is revoked.\n`));
    const before = await revokedAt();
    expect(await revoke(revoked)).toEqual(succeeded(`Token ${revoked} is already revoked.\n`));
    expect(await revokedAt()).toEqual(before);
    expect(await revoke(2_147_483_647)).toEqual(
      failed('formtrail: There is no token with the id 2147483647. "tokens list" shows the tokens.\n'),
    );

    const lines = (await run(['tokens', 'list'])).stdout.trimEnd().split('\n');
    const column = lines[0]!.indexOf('STATUS');
    expect(lines[0]).toMatch(/^ID +EMAIL +NAME +CREATED +EXPIRES +STATUS$/);
    expect(lines.slice(-2).map((line) => line.slice(column))).toEqual(['expired', 'revoked']);
  });
});

describe('formtrail forms', () => {
  it('import reports the change of each form, export prints the form, and list shows it', async () => {
    const row = { slug: 'job-application', uuid: UUID };
    expect(await run(['forms', 'import', EXAMPLE])).toEqual(
      succeeded(`job-application  ${UUID}  1  created\n`),
    );
    const exported = await run(['forms', 'export', 'job-application']);
    const written = (await readFile(EXAMPLE, 'utf8')).replace(
      '../../schemas/form-definition.schema.json',
      'https://unpkg.com/formtrail/form-definition.schema.json',
    );
    expect(exported).toEqual(succeeded(written));

    await write('job.json', `\ufeff${exported.stdout}`);
    expect(await json('forms', 'import', 'job.json')).toEqual([{ ...row, version: 1, change: 'unchanged' }]);
    const changed = exported.stdout.replace('"Job application"', '"Job"');
    expect((await run(['forms', 'import', '-'], {}, changed)).stdout).toMatch(/ 2 {2}changed\n$/);
    expect((await run(['forms', 'list'])).stdout).toMatch(
      /^SLUG .*\njob-application {2}[\w-]{36} {2}2 .* yes +Job\n$/,
    );
    expect(await json('forms', 'list')).toEqual([{ ...row, version: 2, is_active: true, name: 'Job' }]);
  });

  it('import prints file, line, column and path of every mistake, and imports nothing', async () => {
    await write('good.json', '{"name": "Good", "slug": "good", "steps": []}');
    await write('bad.json', '{"name": "", "slug": "bad", "steps": [{"title": 1}]}');
    expect(await run(['forms', 'import', 'good.json', 'bad.json', '-'], {}, '{\n]')).toEqual(
      failed(`formtrail: Nothing was imported, because of 5 errors:
  bad.json: line 1, column 2: name: must be a text of 1 to 255 characters, but has 0
  bad.json: line 1, column 39: steps[0].step_number: is missing; it must be a whole number from 1 to 2147483647
  bad.json: line 1, column 39: steps[0].fields: is missing; it must be an array
  bad.json: line 1, column 40: steps[0].title: must be a text of at most 255 characters, but is 1
  standard input: line 2, column 1: a key in double quotes is expected here, but there is ]
`),
    );
    expect(await run(['forms', 'export', 'good'])).toEqual(
      failed('formtrail: There is no form with the slug "good". "forms list" shows all forms.\n'),
    );
  });

  it('import names files that cannot be read', async () => {
    await write('latin1.json', Buffer.from([0x22, 0xe9, 0x22]));
    const { status, stderr } = await run(['forms', 'import', 'none.json', '.', 'latin1.json', '/dev/zero']);
    expect(status).toBe(1);
    expect(stderr).toContain('none.json: cannot be read (ENOENT');
    expect(stderr).toContain('.: cannot be read (EISDIR');
    expect(stderr).toContain('latin1.json: cannot be read (it is not text in UTF-8)');
    expect(stderr).toContain('/dev/zero: cannot be read (it is larger than 32 MiB)');
  });

  it('new writes a definition that has no warnings, and that import accepts unchanged', async () => {
    expect(await run(['forms', 'new', 'contact-request'], AWAY)).toEqual(
      succeeded(
        'Wrote contact-request.json. Edit it, check it with "forms lint contact-request.json", ' +
          'and create the form with "forms import contact-request.json".\n',
      ),
    );
    expect(await run(['forms', 'lint', 'contact-request.json'], AWAY)).toEqual(succeeded('No warnings.\n'));
    expect(await json('forms', 'import', 'contact-request.json')).toMatchObject([
      { slug: 'contact-request', version: 1, change: 'created' },
    ]);
    const { name, $schema, steps } = JSON.parse((await run(['forms', 'export', 'contact-request'])).stdout);
    expect([name, $schema]).toEqual([
      'Contact request',
      'https://unpkg.com/formtrail/form-definition.schema.json',
    ]);
    expect(steps).toHaveLength(2);
    expect(steps.flatMap(({ fields }: any) => fields.flatMap((one: any) => one.conditions))).toHaveLength(1);
  });

  it('new writes to another file or to standard output, but overwrites no file', async () => {
    const printed = await run(['forms', 'new', 'feedback', '--out', '-'], AWAY);
    await run(['forms', 'new', 'feedback', '--out', 'another.json'], AWAY);
    const another = () => readFile(path.join(use.directory, 'another.json'), 'utf8');
    expect(printed).toEqual(succeeded(await another()));
    expect(JSON.parse(printed.stdout)).toMatchObject({ name: 'Feedback', slug: 'feedback' });

    expect(await run(['forms', 'new', 'mine', '--out', 'another.json'], AWAY)).toEqual(
      failed(
        'formtrail: another.json exists already, and is not overwritten. Name another file with --out.\n',
      ),
    );
    expect(await another()).toBe(printed.stdout);
    expect(await run(['forms', 'new', 'mine', '--out', 'none/mine.json'], AWAY)).toEqual(
      failed(expect.stringMatching(/^formtrail: none\/mine\.json cannot be written \(ENOENT/)),
    );
  });

  it('schema prints the JSON Schema file of the package', async () => {
    const file = await readFile(path.join(ROOT, 'schemas/form-definition.schema.json'), 'utf8');
    expect(await run(['forms', 'schema'], AWAY)).toEqual(succeeded(file));
  });
});

describe('warnings about doubtful parts of a form', () => {
  const WARNINGS = `doubtful.json: line 22, column 9: steps[0].fields[1]: "shade" can never be visible, because no "show" condition is ever met; change its conditions
doubtful.json: line 32, column 15: steps[0].fields[1].conditions[0].value: must name options of "colour" ("red"), but has "grey"
`;

  beforeAll(async () => {
    const text = { name: 'text' };
    const colour = { code: 'colour', label: 'Colour', field_type: { name: 'select' } };
    const condition = { depends_on_field_code: 'colour', operator: 'equals', value: 'grey', action: 'show' };
    const fields = [
      { ...colour, options: [{ label: 'Red', value: 'red' }] },
      { code: 'shade', label: 'Shade', field_type: text, conditions: [condition] },
    ];
    const steps = [{ step_number: 1, title: 'One', fields }];
    await write('doubtful.json', JSON.stringify({ name: 'Doubtful', slug: 'doubtful', steps }, null, 2));
    await write('mistaken.json', '{"name": "", "slug": "mistaken", "steps": []}');
  });

  // An unreachable database, and an embedded database that would be started.
  it.each([AWAY, { DATABASE_URL: '', DATA_DIR: 'never-made' }])(
    'are printed by lint, which needs no database: %j',
    async (variables) => {
      expect(await run(['forms', 'lint', 'doubtful.json'], variables)).toEqual(
        succeeded(`${WARNINGS}2 warnings.\n`),
      );
      await expect(readFile(path.join(use.directory, 'never-made', 'PG_VERSION'))).rejects.toThrow(/ENOENT/);
    },
  );

  it('are printed beside the mistakes of other files, which make lint fail', async () => {
    expect(await run(['forms', 'lint', 'mistaken.json', 'doubtful.json'], AWAY)).toEqual({
      status: 1,
      stdout: `${WARNINGS}2 warnings.\n`,
      stderr:
        'formtrail: This cannot be imported:\n  mistaken.json: line 1, column 2: name: must be a text of 1 to 255 characters, but has 0\n',
    });
    expect(await run(['forms', 'lint', 'none.json'], AWAY)).toEqual(
      failed(expect.stringMatching(/^formtrail: This cannot be imported:\n {2}none\.json: cannot be read/)),
    );
  });

  it('are printed as JSON, with the mistakes', async () => {
    const words = ['forms', 'lint', 'mistaken.json', 'doubtful.json', '--json'];
    const { status, stdout } = await run(words, AWAY);
    expect(status).toBe(1);
    const { warnings, mistakes } = JSON.parse(stdout);
    const message = 'must be a text of 1 to 255 characters, but has 0';
    expect(mistakes).toEqual([{ file: 'mistaken.json', line: 1, column: 2, path: 'name', message }]);
    const lines = warnings.map(
      ({ file, line, column, path: at, message }: Record<string, string>) =>
        `${file}: line ${line}, column ${column}: ${at}: ${message}\n`,
    );
    expect(lines.join('')).toBe(WARNINGS);
    const fine = await run(['forms', 'lint', '-', '--json'], AWAY, await readFile(EXAMPLE, 'utf8'));
    expect(JSON.parse(fine.stdout)).toEqual({ warnings: [], mistakes: [] });
  });

  it('are printed by import on standard error, and do not prevent the import', async () => {
    expect(await run(['forms', 'import', 'doubtful.json'])).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^doubtful +[\w-]{36} +1 +created\n$/),
      stderr: WARNINGS.replace(/^(?=.)/gm, 'Warning: '),
    });
  });
});

describe('formtrail db', () => {
  it('status and migrate bring an empty database up to date, which other commands require', async () => {
    const { pathname } = new URL(use.database.url);
    const name = `${pathname.slice(1)}_empty`;
    await asAnotherProgram(use.database.connection, (client) => client.query(`create database ${name}`));
    const empty = { DATABASE_URL: use.database.url.replace(pathname, `/${name}`) };
    const onEmpty = (...words: string[]) => run(words, empty);
    const statuses = (status: string) => MIGRATIONS.map(({ name }) => ({ name, status }));

    const behind = `formtrail: ${MIGRATIONS.length} migrations are pending. Run "db migrate".\n`;
    const pending = await onEmpty('db', 'status', '--json');
    expect([pending.status, pending.stderr]).toEqual([1, behind]);
    expect(JSON.parse(pending.stdout)).toEqual(statuses('pending'));
    expect(await onEmpty('tokens', 'list')).toEqual(
      failed('formtrail: The schema of the database is behind. Run the command "db migrate" first.\n'),
    );
    // Concurrent migrations are serialized, and one of them applies everything.
    const both = await Promise.all([onEmpty('db', 'migrate'), onEmpty('db', 'migrate')]);
    expect(both).toMatchObject([{ status: 0 }, { status: 0 }]);
    // Standard error is empty if the second migration began after the first had ended.
    expect(['', 'Another process migrates this database. Waiting until it has ended.\n']).toContain(
      both.map(({ stderr }) => stderr).join(''),
    );
    const all = MIGRATIONS.map(({ name }) => `${name}\n`).join('');
    expect(both.map(({ stdout }) => stdout).toSorted()).toEqual(
      [all, 'No migration was pending.\n'].toSorted(),
    );
    expect(await onEmpty('db', 'status')).toEqual(succeeded(all.replace(/^(?=.)/gm, 'applied  ')));
    expect(JSON.parse((await onEmpty('db', 'status', '--json')).stdout)).toEqual(statuses('applied'));
    expect(await onEmpty('db', 'migrate', '--json')).toEqual(succeeded('[]\n'));
  });

  itOnOneServer('distribute fails without Citus, and changes nothing', async () => {
    const before = await catalog(use.database.dataSource);
    expect(await run(['db', 'distribute', '--yes'])).toEqual(
      failed(
        'formtrail: The database has no Citus. Install it on all nodes, then "create extension citus" in this database.\n',
      ),
    );
    expect(await catalog(use.database.dataSource)).toEqual(before);
  });

  it('url prints the URL of the database', async () => {
    const { pathname } = new URL(use.database.url);
    expect(await run(['db', 'url'])).toEqual(succeeded(expect.stringContaining(`${pathname}\n`)));
  });

  it('seed imports the examples and prints only a development token (A6)', async () => {
    const { status, stdout, stderr } = await run(['db', 'seed']);
    expect([status, stdout]).toEqual([0, expect.stringMatching(TOKEN)]);
    expect(stderr).toMatch(/^event-registration +[\w-]{36} +1 +created$/m);
    expect((await json('tokens', 'list')).at(-1)).toMatchObject({
      ...{ email: 'dev@formtrail.local', name: 'development' },
    });
  });

  it('restored raises the versions of forms and of the UUIDs of deleted forms above those that a restore lost (N3)', async () => {
    const { dataSource } = use.database;
    const [{ form }, deleted] = [await buildForm(dataSource), await buildForm(dataSource)];
    await query('delete from forms where id = $1', [deleted.form.id]);
    const version = async () =>
      (await query<{ version: number }>('select version from forms where id = $1', [form.id]))[0]!.version;

    expect(await run(['db', 'restored'])).toEqual(
      succeeded(
        expect.stringMatching(/^Raised the versions of \d+ forms and 1 UUID of deleted forms by 10,000\.\n$/),
      ),
    );
    expect(await version()).toBe(form.version + 10_000);
    await query(`update forms set name = 'Edited' where id = $1`, [form.id]);
    expect(await version()).toBe(form.version + 10_001);
    const again = await buildForm(dataSource, { form: { uuid: deleted.form.uuid } });
    expect(again.form.version).toBeGreaterThan(10_000);
    expect(await json('db', 'restored')).toEqual({ forms: expect.any(Number), deleted: 0 });
  });
});

describe('a command that fails', () => {
  const usersBeginningWith = (text: string) =>
    query('select from users where starts_with(email, $1)', [text]);

  it.each([
    [
      'DATABASE_URL is unset in production',
      { DATABASE_URL: '', NODE_ENV: 'production' },
      /DATABASE_URL must be set/,
    ],
    ['DATABASE_URL is no URL', { DATABASE_URL: 'x' }, /DATABASE_URL must be a URL/],
    ['another variable is wrong', { PORT: 'x' }, /PORT must be a whole number/],
    [
      'the database cannot be reached',
      AWAY,
      /Cannot connect to the database \(.*\)\. Check DATABASE_URL, and that the server is running/,
    ],
  ])('says in one sentence that %s', async (_, variables, sentence) => {
    expect(await run(['tokens', 'list'], variables)).toEqual(
      failed(expect.stringMatching(new RegExp(`^formtrail: ${sentence.source}.*\n$`))),
    );
  });

  itOnOneServer('says what to do if the database does not exist', async () => {
    const url = new URL(use.database.url);
    url.pathname = '/formtrail_is_not_here';
    const sentence = /does not exist\)\. Create that database, or name another in DATABASE_URL\.\n$/;
    expect((await run(['tokens', 'list'], { DATABASE_URL: url.href })).stderr).toMatch(sentence);
  });

  it.each([
    ['tokens', 'create', '--email', 'unseen@example.org'],
    ...(isOneServer ? [['webhooks', 'add', '--url', 'https://unseen.example.org/']] : []),
  ])('creates nothing if it cannot print the secret: %s %s', async (...words) => {
    const full = openSync('/dev/full', 'w');
    const key = { WEBHOOK_KEY: randomBytes(32).toString('base64') };
    const child = start(words, key, { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    const { status, stderr } = await ended(child);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^formtrail: The output cannot be written \(ENOSPC/);
    expect(await usersBeginningWith('unseen@')).toEqual([]);
    expect((await run(['webhooks', 'list'])).stdout).not.toContain('unseen');
  });
});
