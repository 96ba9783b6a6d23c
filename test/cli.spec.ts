import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { MIGRATIONS } from '../src/migrations/index.js';
import { WEBHOOK_EVENTS } from '../src/entities.js';
import { PATIENCE, preload } from './support/built-service.js';
import { ended, openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { catalog } from './support/catalog.js';
import { isOneServer, itOnOneServer } from './support/it-on-one-server.js';
import { asAnotherProgram } from './support/test-server.js';

const ROOT = path.resolve(__dirname, '..');
const EXAMPLE = path.join(ROOT, 'examples/forms/job-application.json');
const TOKEN = /^ftk_[\w-]{43}\n$/;

let { database, directory, start, run, close } = {} as OpenCommandLine;

beforeAll(async () => {
  ({ database, directory, start, run, close } = await openCommandLine());
}, 120_000);
afterAll(() => close());

async function json(...words: string[]): Promise<any> {
  const { status, stdout } = await run(words);
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

async function listedTokens(): Promise<any[]> {
  return json('tokens', 'list', '--json');
}

describe('formtrail --help', () => {
  it.each([
    [[], ['tokens', 'users', 'forms', 'submissions', 'db', 'serve', 'DATABASE_URL', '--version']],
    [['tokens'], ['create', 'list', 'revoke']],
    [
      ['tokens', 'create'],
      ['--email <address>', '--name <text>', '--expires-in <duration>'],
    ],
    [['tokens', 'list'], ['--json']],
    [['tokens', 'revoke'], ['<id>']],
    [['users'], ['erase']],
    [
      ['users', 'erase'],
      ['--email <address>', '--yes', 'tokens', 'backup'],
    ],
    [
      ['forms'],
      ['new', 'import', 'lint', 'diff', 'versions', 'log', 'export', 'schema', 'list', 'retire', 'delete'],
    ],
    [
      ['forms', 'new'],
      ['<slug>', '--out <file>', '- for standard output', 'no database'],
    ],
    [
      ['forms', 'import'],
      ['<file...>', '- for standard', '--refuse-breaking'],
    ],
    [
      ['forms', 'diff'],
      ['<slug>', '[file]', '--from <version>', '--to <version>', '--json', 'exit status is 0', 'breaking'],
    ],
    [
      ['forms', 'versions'],
      ['<slug>', '--json', 'completed'],
    ],
    [
      ['forms', 'log'],
      ['<slug>', '--json', 'not kept', 'unknown'],
    ],
    [
      ['forms', 'lint'],
      ['<file...>', 'standard input', 'no database', 'exit status'],
    ],
    [['forms', 'export'], ['<slug>']],
    [
      ['forms', 'schema'],
      ['JSON Schema', 'editors'],
    ],
    [['forms', 'list'], ['slug, UUID, version']],
    [
      ['forms', 'retire'],
      ['<slug>', '--yes', 'new submissions'],
    ],
    [
      ['forms', 'delete'],
      ['<slug>', '--with-submissions', '--yes', 'backup'],
    ],
    [['submissions'], ['export', 'purge', 'delete']],
    [
      ['submissions', 'delete'],
      ['<uuid>', '--yes', 'backup'],
    ],
    [
      ['submissions', 'export'],
      ['--form <slug>', '--status <status>', '--since <time>', '--format <format>', 'apostrophe'],
    ],
    [
      ['submissions', 'purge'],
      ['--drafts-older-than <duration>', '--form <slug>', '--dry-run', '--json', 'recent write'],
    ],
    [['webhooks'], ['add', 'list', 'test', 'rotate', 'failures', 'redeliver', 'purge', 'deliver']],
    [
      ['webhooks', 'add'],
      ['--url <url>', '--form <slug>', '--events <events...>', ...WEBHOOK_EVENTS, '--body <body>', 'thin'],
    ],
    [['db'], ['migrate', 'status', 'seed', 'record-backup']],
    [['db', 'migrate'], ['pending']],
    [['db', 'status'], ['applied or pending']],
    [['db', 'seed'], ['development token']],
    [
      ['db', 'record-backup'],
      ['--at <time>', '--json', 'formtrail_last_backup_timestamp_seconds'],
    ],
    [['serve'], ['SIGTERM']],
  ])('documents %j on standard output', async (words, expected) => {
    const { status, stdout, stderr } = await run([...words, '--help'], {
      DATABASE_URL: 'postgres://127.0.0.1:1/x',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ${['formtrail', ...words].join(' ')} `);
    for (const word of expected) expect(stdout).toContain(word);
  });
});

describe('a command without a database', () => {
  /** Prints the URL of every loaded module on standard error. */
  const NOTED = preload(`
    import { register } from 'node:module';
    const hooks = "import { writeSync } from 'node:fs'; export async function load(url, context, next) {" +
      "writeSync(2, url + ' '); return next(url, context); }";
    register('data:text/javascript,' + encodeURIComponent(hooks));`);
  const loadedBy = async (...words: string[]) => {
    const { status, stderr } = await run(words, { NODE_OPTIONS: NOTED });
    const packages = [...stderr.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)];
    return { status, packages: new Set(packages.map(([, name]) => name)) };
  };

  it.each([
    ['--version'],
    ['--help'],
    ['forms --help'],
    ['forms import --help'],
    ['forms diff --help'],
    ['webhooks add --help'],
  ])('(%s) loads neither Nest nor TypeORM', async (words) => {
    const loaded = await loadedBy(...words.split(' '));
    expect(loaded).toEqual({ status: 0, packages: new Set(['reflect-metadata', 'commander']) });
  });

  it('loads less than a command that needs a database', async () => {
    expect((await loadedBy('forms', 'list')).packages).toContain('typeorm');
  });
});

describe('an invalid command', () => {
  it.each([
    [[], 'Usage: formtrail'],
    [['tokens'], 'Usage: formtrail tokens'],
    [['froms'], "unknown command 'froms'"],
    [['tokens', 'make'], "unknown command 'make'"],
    [['tokens', 'create'], "required option '--email <address>' not specified"],
    [['tokens', 'create', '--email', 'ada'], 'It must be an e-mail address'],
    [
      ['tokens', 'create', '--email', 'a@b', '--expires-in', '0d'],
      'It must be a whole number of minutes, hours, days or weeks',
    ],
    [['tokens', 'create', '--email', 'a@b', '--name', ''], 'It must be 1 to 255 characters'],
    [['tokens', 'revoke', 'x'], 'It must be a whole number from 1'],
    [['forms', 'diff', 'a', '--from', '0'], 'as "forms versions" shows it'],
    [['forms', 'new'], "missing required argument 'slug'"],
    [['forms', 'new', 'Contact Request'], 'It must be lower-case letters and digits with single hyphens'],
    [['forms', 'import'], "missing required argument 'file'"],
    [['forms', 'lint'], "missing required argument 'file'"],
    [['forms', 'export', 'a', 'b'], 'too many arguments'],
    [['submissions', 'export'], "required option '--form <slug>' not specified"],
    [
      ['submissions', 'export', '--form', 'x', '--since', 'yesterday'],
      'It must be a date such as 2026-11-21',
    ],
    [['submissions', 'export', '--form', 'x', '--format', 'xml'], 'Allowed choices are ndjson, csv'],
    [['submissions', 'export', '--form', 'x', '--status', 'open'], 'Allowed choices are draft, completed'],
    [['submissions', 'delete'], "missing required argument 'uuid'"],
    [['submissions', 'delete', 'x'], 'It must be a UUID'],
    [['forms', 'delete'], "missing required argument 'slug'"],
    [
      ['users', 'erase'],
      'Name a user with --email ADDRESS, --user ID, or --issuer URL and --subject ACCOUNT.',
    ],
    [['users', 'sign-out', '--issuer', 'x'], 'give --issuer and --subject together.'],
    [
      ['users', 'sign-out', '--user', '0'],
      'It must be a whole number from 1, as "user_id" in the log shows it.',
    ],
    [['submissions', 'purge'], "required option '--drafts-older-than <duration>' not specified"],
    [['submissions', 'purge', '--drafts-older-than', '59m'], 'from 1h to 36500d'],
    [['db', 'migrate', '--force'], "unknown option '--force'"],
  ])('%j fails with a sentence on standard error', async (words, sentence) => {
    const { status, stdout, stderr } = await run(words);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

describe('formtrail tokens', () => {
  it('create prints only the token, and creates one user per address, ignoring letter case (A2, A3, A6)', async () => {
    const first = await run([
      'tokens',
      'create',
      '--email',
      'Ada@Example.org',
      '--name',
      'Laptop',
      '--expires-in',
      '90d',
    ]);
    const second = await run(['tokens', 'create', '--email', 'ada@example.ORG']);
    for (const { status, stdout } of [first, second]) {
      expect(status).toBe(0);
      expect(stdout).toMatch(TOKEN);
    }
    expect(first.stderr).toMatch(/^Token \d+ of Ada@Example.org expires at [\d-]+T[\d:]+Z\.\n$/);

    const [laptop, other] = (await listedTokens()).slice(-2);
    expect(laptop).toEqual({
      id: expect.any(Number),
      email: 'Ada@Example.org',
      name: 'Laptop',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      expires_at: expect.any(String),
      status: 'valid',
    });
    expect(Date.parse(laptop.expires_at) - Date.parse(laptop.created_at)).toBe(90 * 86_400_000);
    expect(other).toMatchObject({ email: 'Ada@Example.org', name: null, expires_at: null, status: 'valid' });
  });

  it('list prints aligned columns, and revoke is final (A3)', async () => {
    for (const email of ['a@example.org', 'somebody.else@example.org'])
      await run(['tokens', 'create', '--email', email]);
    const [{ id: expired }, { id: revoked }] = (await listedTokens()).slice(-2);
    await database.dataSource.query(`update api_tokens set expires_at = now() where id = $1`, [expired]);

    expect(await run(['tokens', 'revoke', String(revoked)])).toEqual({
      status: 0,
      stdout: `Token ${revoked} is revoked.\n`,
      stderr: '',
    });
    const [before] = await database.dataSource.query('select revoked_at from api_tokens where id = $1', [
      revoked,
    ]);
    expect(await run(['tokens', 'revoke', String(revoked)])).toEqual({
      status: 0,
      stdout: `Token ${revoked} was revoked already.\n`,
      stderr: '',
    });
    expect(
      await database.dataSource.query('select revoked_at from api_tokens where id = $1', [revoked]),
    ).toEqual([before]);
    expect(await run(['tokens', 'revoke', '2147483647'])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'formtrail: There is no token with the id 2147483647. "tokens list" shows the tokens.\n',
    });

    const lines = (await run(['tokens', 'list'])).stdout.trimEnd().split('\n');
    const column = lines[0]!.indexOf('STATUS');
    expect(lines[0]).toMatch(/^ID +EMAIL +NAME +CREATED +EXPIRES +STATUS$/);
    expect(lines.slice(-2).map((line) => line.slice(column))).toEqual(['expired', 'revoked']);
  });
});

describe('formtrail forms', () => {
  it('import reports the change of each form, export prints the form, and list shows it', async () => {
    const file = path.join(directory, 'job.json');
    const created = await run(['forms', 'import', EXAMPLE]);
    expect(created).toEqual({
      status: 0,
      stdout: 'job-application  3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314  1  created\n',
      stderr: '',
    });
    const exported = await run(['forms', 'export', 'job-application']);
    const written = (await readFile(EXAMPLE, 'utf8')).replace(
      '../../form-definition.schema.json',
      'https://unpkg.com/formtrail/form-definition.schema.json',
    );
    expect(exported).toEqual({ status: 0, stdout: written, stderr: '' });

    await writeFile(file, `\ufeff${exported.stdout}`);
    expect((await run(['forms', 'import', 'job.json'])).stdout).toMatch(/ 1 {2}unchanged\n$/);
    expect(await json('forms', 'import', 'job.json', '--json')).toEqual([
      {
        slug: 'job-application',
        uuid: '3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314',
        version: 1,
        change: 'unchanged',
      },
    ]);
    const changed = exported.stdout.replace('"Job application"', '"Job"');
    expect((await run(['forms', 'import', '-'], {}, changed)).stdout).toMatch(/ 2 {2}changed\n$/);
    expect((await run(['forms', 'list'])).stdout).toMatch(
      /^SLUG .*\njob-application {2}[\w-]{36} {2}2 .* yes +Job\n$/,
    );
    expect(await json('forms', 'list', '--json')).toEqual([
      {
        slug: 'job-application',
        uuid: '3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314',
        version: 2,
        is_active: true,
        name: 'Job',
      },
    ]);
  });

  it('import prints file, line, column and path of every mistake, and imports nothing', async () => {
    await writeFile(path.join(directory, 'good.json'), '{"name": "Good", "slug": "good", "steps": []}');
    await writeFile(path.join(directory, 'bad.json'), '{"name": "", "slug": "bad", "steps": [{"title": 1}]}');
    expect(await run(['forms', 'import', 'good.json', 'bad.json', '-'], {}, '{\n]')).toEqual({
      status: 1,
      stdout: '',
      stderr: `formtrail: Nothing was imported, because of 5 mistakes:
  bad.json: line 1, column 2: name: must be a text of 1 to 255 characters, but has 0
  bad.json: line 1, column 39: steps[0].step_number: is missing; it must be a whole number from 1 to 2147483647
  bad.json: line 1, column 39: steps[0].fields: is missing; it must be an array
  bad.json: line 1, column 40: steps[0].title: must be a text of at most 255 characters, but is 1
  standard input: line 2, column 1: a key in double quotes is expected here, but there is ]
`,
    });
    expect((await run(['forms', 'export', 'good'])).stderr).toBe(
      'formtrail: There is no form with the slug "good". "forms list" shows all forms.\n',
    );
  });

  describe('new', () => {
    const AWAY = { DATABASE_URL: 'postgres://127.0.0.1:1/x' };

    it('writes a definition that has no warnings, and that import accepts unchanged', async () => {
      expect(await run(['forms', 'new', 'contact-request'], AWAY)).toEqual({
        status: 0,
        stdout:
          'Wrote contact-request.json. Edit it, check it with "forms lint contact-request.json", ' +
          'and create the form with "forms import contact-request.json".\n',
        stderr: '',
      });
      expect((await run(['forms', 'lint', 'contact-request.json'], AWAY)).stdout).toBe('No warnings.\n');
      const [imported] = await json('forms', 'import', 'contact-request.json', '--json');
      expect(imported).toMatchObject({ slug: 'contact-request', version: 1, change: 'created' });
      const { name, $schema, steps } = await json('forms', 'export', 'contact-request');
      expect([name, $schema]).toEqual([
        'Contact request',
        'https://unpkg.com/formtrail/form-definition.schema.json',
      ]);
      expect(steps).toHaveLength(2);
      expect(
        steps.flatMap(({ fields }: any) => fields.flatMap((field: any) => field.conditions)),
      ).toHaveLength(1);
    });

    it('writes to another file or to standard output', async () => {
      const printed = await run(['forms', 'new', 'feedback', '--out', '-'], AWAY);
      await run(['forms', 'new', 'feedback', '--out', 'another.json'], AWAY);
      expect(printed).toEqual({
        status: 0,
        stdout: await readFile(path.join(directory, 'another.json'), 'utf8'),
        stderr: '',
      });
      expect(JSON.parse(printed.stdout)).toMatchObject({ name: 'Feedback', slug: 'feedback' });
    });

    it('overwrites no file, and names a file that cannot be written', async () => {
      await writeFile(path.join(directory, 'mine.json'), 'mine');
      expect(await run(['forms', 'new', 'mine'], AWAY)).toEqual({
        status: 1,
        stdout: '',
        stderr:
          'formtrail: mine.json exists already, and is not overwritten. Name another file with --out.\n',
      });
      expect(await readFile(path.join(directory, 'mine.json'), 'utf8')).toBe('mine');
      expect(await run(['forms', 'new', 'mine', '--out', 'none/mine.json'], AWAY)).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(/^formtrail: none\/mine\.json cannot be written \(ENOENT/),
      });
    });
  });

  it('schema prints the JSON Schema file of the package', async () => {
    expect(await run(['forms', 'schema'], { DATABASE_URL: 'postgres://127.0.0.1:1/x' })).toEqual({
      status: 0,
      stdout: await readFile(path.join(ROOT, 'form-definition.schema.json'), 'utf8'),
      stderr: '',
    });
  });

  it('import names files that cannot be read', async () => {
    await writeFile(path.join(directory, 'latin1.json'), Buffer.from([0x22, 0xe9, 0x22]));
    const { status, stderr } = await run(['forms', 'import', 'none.json', '.', 'latin1.json', '/dev/zero']);
    expect(status).toBe(1);
    expect(stderr).toContain('none.json: cannot be read (ENOENT');
    expect(stderr).toContain('.: cannot be read (EISDIR');
    expect(stderr).toContain('latin1.json: cannot be read (it is not text in UTF-8)');
    expect(stderr).toContain('/dev/zero: cannot be read (it is larger than 32 MiB)');
  });
});

describe('warnings about doubtful parts of a form', () => {
  const WARNINGS = `doubtful.json: line 22, column 9: steps[0].fields[1]: "shade" can never be visible, because no "show" condition is ever met; change its conditions
doubtful.json: line 32, column 15: steps[0].fields[1].conditions[0].value: must name options of "colour" ("red"), but has "grey"
`;
  /** `lint` must use neither database. The first is unreachable, and the second is embedded and would be started. */
  const NO_DATABASE = { DATABASE_URL: 'postgres://127.0.0.1:1/x' };
  const EMBEDDED = { DATABASE_URL: '', DATA_DIR: 'never-made' };

  beforeAll(async () => {
    const text = { name: 'text' };
    const colour = { code: 'colour', label: 'Colour', field_type: { name: 'select' } };
    const condition = { depends_on_field_code: 'colour', operator: 'equals', value: 'grey', action: 'show' };
    const fields = [
      { ...colour, options: [{ label: 'Red', value: 'red' }] },
      { code: 'shade', label: 'Shade', field_type: text, conditions: [condition] },
    ];
    const doubtful = {
      name: 'Doubtful',
      slug: 'doubtful',
      steps: [{ step_number: 1, title: 'One', fields }],
    };
    await writeFile(path.join(directory, 'doubtful.json'), JSON.stringify(doubtful, null, 2));
    await writeFile(path.join(directory, 'mistaken.json'), '{"name": "", "slug": "mistaken", "steps": []}');
  });

  it.each([NO_DATABASE, EMBEDDED])('are printed by lint, which needs no database: %j', async (variables) => {
    expect(await run(['forms', 'lint', 'doubtful.json'], variables)).toEqual({
      status: 0,
      stdout: `${WARNINGS}2 warnings.\n`,
      stderr: '',
    });
    await expect(readFile(path.join(directory, 'never-made', 'PG_VERSION'))).rejects.toThrow(/ENOENT/);
  });

  it('are not printed for a good form', async () => {
    expect(await run(['forms', 'lint', '-'], NO_DATABASE, await readFile(EXAMPLE, 'utf8'))).toEqual({
      status: 0,
      stdout: 'No warnings.\n',
      stderr: '',
    });
  });

  it('are printed beside the mistakes of other files, which make lint fail', async () => {
    expect(await run(['forms', 'lint', 'mistaken.json', 'doubtful.json'], NO_DATABASE)).toEqual({
      status: 1,
      stdout: `${WARNINGS}2 warnings.\n`,
      stderr:
        'formtrail: This cannot be imported:\n  mistaken.json: line 1, column 2: name: must be a text of 1 to 255 characters, but has 0\n',
    });
    expect(await run(['forms', 'lint', 'mistaken.json'], NO_DATABASE)).toMatchObject({
      status: 1,
      stdout: '',
    });
    const { status, stderr } = await run(['forms', 'lint', 'none.json'], NO_DATABASE);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^formtrail: This cannot be imported:\n {2}none\.json: cannot be read \(ENOENT/);
  });

  it('are printed as JSON, with the mistakes', async () => {
    const mistake = {
      file: 'mistaken.json',
      line: 1,
      column: 2,
      path: 'name',
      message: 'must be a text of 1 to 255 characters, but has 0',
    };
    const { status, stdout } = await run(
      ['forms', 'lint', 'mistaken.json', 'doubtful.json', '--json'],
      NO_DATABASE,
    );
    expect(status).toBe(1);
    const { warnings, mistakes } = JSON.parse(stdout);
    expect(mistakes).toEqual([mistake]);
    expect(
      warnings.map(
        ({ file, line, column, path: at, message }: Record<string, string>) =>
          `${file}: line ${line}, column ${column}: ${at}: ${message}\n`,
      ),
    ).toEqual(WARNINGS.match(/.+\n/g));
    const fine = await run(['forms', 'lint', '-', '--json'], NO_DATABASE, await readFile(EXAMPLE, 'utf8'));
    expect(fine).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(fine.stdout)).toEqual({ warnings: [], mistakes: [] });
  });

  it('are printed by import on standard error, and do not prevent the import', async () => {
    expect(await run(['forms', 'import', 'doubtful.json'])).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^doubtful +[\w-]{36} +1 +created\n$/),
      stderr: WARNINGS.replace(/^/gm, 'Warning: ').replace(/Warning: $/, ''),
    });
    expect((await run(['forms', 'import', 'doubtful.json', 'mistaken.json'])).stderr).not.toContain(
      'Warning',
    );
  });
});

describe('formtrail db', () => {
  it('status and migrate bring an empty database up to date, which other commands require', async () => {
    const { pathname } = new URL(database.url);
    const name = `${pathname.slice(1)}_empty`;
    await asAnotherProgram(database.connection, (client) => client.query(`create database ${name}`));
    const empty = { DATABASE_URL: database.url.replace(pathname, `/${name}`) };

    const behind = `formtrail: ${MIGRATIONS.length} migrations are pending. Run "db migrate".\n`;
    expect(await run(['db', 'status'], empty)).toEqual({
      status: 1,
      stdout: expect.stringMatching(/^(pending {2}\w+\n)+$/),
      stderr: behind,
    });
    const asJson = await run(['db', 'status', '--json'], empty);
    expect([asJson.status, asJson.stderr]).toEqual([1, behind]);
    expect(JSON.parse(asJson.stdout)).toEqual(MIGRATIONS.map(({ name }) => ({ name, status: 'pending' })));
    expect(await run(['tokens', 'list'], empty)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'formtrail: The schema of the database is behind. Run the command "db migrate" first.\n',
    });
    // Concurrent migrations are serialized, and one of them applies everything.
    const both = await Promise.all([run(['db', 'migrate'], empty), run(['db', 'migrate'], empty)]);
    for (const outcome of both) expect(outcome.status).toBe(0);
    // Standard error is empty if the second migration began after the first had ended.
    expect(['', 'Another process migrates this database. Waiting until it has ended.\n']).toContain(
      both.map(({ stderr }) => stderr).join(''),
    );
    const names = MIGRATIONS.map(({ name }) => name);
    const all = names.map((name) => `${name}\n`).join('');
    expect(both.map(({ stdout }) => stdout).toSorted()).toEqual(
      [all, 'No migration was pending.\n'].toSorted(),
    );
    expect(await run(['db', 'status'], empty)).toEqual({
      status: 0,
      stdout: names.map((name) => `applied  ${name}\n`).join(''),
      stderr: '',
    });
    expect(JSON.parse((await run(['db', 'status', '--json'], empty)).stdout)).toEqual(
      names.map((migration) => ({ name: migration, status: 'applied' })),
    );
    expect(await run(['db', 'migrate'], empty)).toEqual({
      status: 0,
      stdout: 'No migration was pending.\n',
      stderr: '',
    });
    expect(await run(['db', 'migrate', '--json'], empty)).toEqual({ status: 0, stdout: '[]\n', stderr: '' });
  });

  itOnOneServer('distribute fails without Citus, and changes nothing', async () => {
    const before = await catalog(database.dataSource);
    for (const words of [
      ['db', 'distribute'],
      ['db', 'distribute', '--yes'],
    ]) {
      expect(await run(words)).toEqual({
        status: 1,
        stdout: '',
        stderr:
          'formtrail: The database has no Citus. Install it on all nodes, then "create extension citus" in this database.\n',
      });
    }
    expect(await catalog(database.dataSource)).toEqual(before);
  });

  it('seed imports the examples and prints only a development token (A6)', async () => {
    const { status, stdout, stderr } = await run(['db', 'seed']);
    expect(status).toBe(0);
    expect(stdout).toMatch(TOKEN);
    expect(stderr).toMatch(/^event-registration +[\w-]{36} +1 +created$/m);
    expect((await listedTokens()).at(-1)).toMatchObject({
      email: 'dev@formtrail.local',
      name: 'development',
    });
  });
});

describe('formtrail serve', () => {
  it('serves until SIGTERM, and ends with status 0', async () => {
    const server = start(['serve'], { PORT: '0', SHUTDOWN_TIMEOUT: '1' });
    const outcome = ended(server);
    try {
      let output = '';
      server.stdout?.on('data', (part: Buffer) => (output += part.toString()));
      const url = await eventually(
        'the server says where it listens',
        () => /http:\/\/[\w.]+:\d+/.exec(output)?.[0],
        PATIENCE,
      );
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await outcome).toMatchObject({ status: 0, stderr: '' });
  });

  it('fails with the names of all invalid and all misspelt variables', async () => {
    const variables = { PORT: 'http', HIDDEN_VALUES: 'drop', THROTLE_LIMIT: '1' };
    expect(await run(['serve'], variables)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'Warning: unknown variable THROTLE_LIMIT, did you mean THROTTLE_LIMIT?\n' +
        'formtrail: PORT must be a whole number from 0 to 65535, but is "http".\n' +
        'HIDDEN_VALUES must be one of keep, ignore, but is "drop".\n',
    });
  });

  it('fails with the name of an invalid variable', async () => {
    expect(await run(['serve'], { PORT: 'http' })).toEqual({
      status: 1,
      stdout: '',
      stderr: 'formtrail: PORT must be a whole number from 0 to 65535, but is "http".\n',
    });
  });
});

const usersBeginningWith = (text: string) =>
  database.dataSource.query<unknown[]>('select from users where starts_with(email, $1)', [text]);

describe('a command that fails', () => {
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
      { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /Cannot connect to the database \(.*\)\. Check DATABASE_URL, and that the server is running/,
    ],
  ])('says in one sentence that %s', async (_, variables, sentence) => {
    const { status, stdout, stderr } = await run(['tokens', 'list'], variables);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^formtrail: ${sentence.source}.*\n$`));
  });

  it('prints no stack trace if its reader closes the pipe, and is undone', async () => {
    const child = start(['tokens', 'create', '--email', 'nobody@example.org']);
    child.stdout?.destroy();
    const [status, stderr] = await Promise.all([
      new Promise((resolve) => child.on('close', resolve)),
      buffer(child.stderr!).then(String),
    ]);
    expect(status).toBe(1);
    expect(stderr).toBe('');
    expect(await usersBeginningWith('nobody@')).toEqual([]);
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

  itOnOneServer('says what to do if the database does not exist', async () => {
    const url = new URL(database.url);
    url.pathname = '/formtrail_is_not_here';
    const without = await run(['tokens', 'list'], { DATABASE_URL: url.href });
    expect(without.stderr).toMatch(
      /does not exist\)\. Create that database, or name another in DATABASE_URL\.\n$/,
    );
  });

  it('is rolled back when it is interrupted', async () => {
    await asAnotherProgram(database.connection, async (client) => {
      await client.query('begin');
      await client.query('lock table forms in access exclusive mode');
      const child = start(['forms', 'import', path.join(ROOT, 'examples/forms/patient-intake.json')]);
      const outcome = ended(child);
      await eventually(
        'the import waits',
        async () => {
          const waiting = await client.query(
            `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`,
          );
          return waiting.rows.length > 0;
        },
        10_000,
      );
      child.kill('SIGINT');
      expect(await outcome).toEqual({ status: 130, stdout: '', stderr: '' });
      await client.query('rollback');
    });
    expect(
      await database.dataSource.query(`select from forms where slug = 'patient-intake' and version > 1`),
    ).toEqual([]);
  });
});

describe('the command line on the embedded database', () => {
  it('starts and migrates the database if it is not running, and the last command stops it', async () => {
    const embedded = { DATABASE_URL: '', DATA_DIR: path.join(directory, 'data') };
    const imported = await run(['forms', 'import', EXAMPLE], embedded);
    expect(imported).toMatchObject({ status: 0, stdout: expect.stringMatching(/ 1 {2}created\n$/) });
    expect(imported.stderr).toMatch(/database/);

    const [list, url, create] = await Promise.all([
      run(['forms', 'list'], embedded),
      run(['db', 'url'], embedded),
      run(['tokens', 'create', '--email', 'ada@example.org'], embedded),
    ]);
    expect(list.stdout).toContain('job-application');
    const socket = encodeURIComponent(path.join(directory, 'data', 'postgres'));
    expect(url.stdout).toBe(`postgres://formtrail@${socket}:5432/formtrail\n`);
    expect(create.stdout).toMatch(TOKEN);
    await expect(readFile(path.join(directory, 'data', 'postmaster.pid'))).rejects.toThrow(/ENOENT/);
  }, 60_000);
});
