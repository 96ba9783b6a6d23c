import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PATIENCE } from './support/built-service.js';
import { ended, useCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { asAnotherProgram } from './support/test-server.js';

const ROOT = path.resolve(__dirname, '..');

const use = useCommandLine();
const { start, run } = use;
const failed = (stderr: unknown) => ({ status: 1, stdout: '', stderr });
const query = <Row>(sql: string, values: unknown[] = []) => use.database.dataSource.query<Row[]>(sql, values);

describe('formtrail serve', () => {
  it('serves until SIGTERM, and ends with status 0', async () => {
    const server = start(['serve'], { PORT: '0', SHUTDOWN_TIMEOUT: '1' });
    const outcome = ended(server);
    try {
      let output = '';
      server.stdout?.on('data', (part: Buffer) => (output += part.toString()));
      const listening = () => /http:\/\/[\w.]+:\d+/.exec(output)?.[0];
      const url = await eventually('the server says where it listens', listening, PATIENCE);
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await outcome).toMatchObject({ status: 0, stderr: '' });
  });

  it('fails with the names of all invalid and all misspelt variables', async () => {
    expect(await run(['serve'], { PORT: 'http', HIDDEN_VALUES: 'drop', THROTLE_LIMIT: '1' })).toEqual(
      failed(
        'Warning: unknown variable THROTLE_LIMIT. Did you mean THROTTLE_LIMIT?\n' +
          'formtrail: PORT must be a whole number from 0 to 65535, but is "http".\n' +
          'HIDDEN_VALUES must be one of keep, ignore, but is "drop".\n',
      ),
    );
  });
});

describe('a command that fails', () => {
  const usersBeginningWith = (text: string) =>
    query('select from users where starts_with(email, $1)', [text]);

  it('prints no stack trace if its reader closes the pipe, and is undone', async () => {
    const child = start(['tokens', 'create', '--email', 'nobody@example.org']);
    child.stdout?.destroy();
    const [status, stderr] = await Promise.all([
      new Promise((resolve) => child.on('close', resolve)),
      buffer(child.stderr!).then(String),
    ]);
    expect([status, stderr]).toEqual([1, '']);
    expect(await usersBeginningWith('nobody@')).toEqual([]);
  });

  it('is rolled back when it is interrupted', async () => {
    const slug = 'patient-intake';
    const before = await query('select version from forms where slug = $1', [slug]);
    await asAnotherProgram(use.database.connection, async (client) => {
      await client.query('begin; lock table forms in access exclusive mode');
      const child = start(['forms', 'import', path.join(ROOT, `examples/forms/${slug}.json`)]);
      const outcome = ended(child);
      const waiting = `select from pg_locks where not granted
        and database = (select oid from pg_database where datname = current_database())`;
      await eventually(
        'the import waits',
        async () => (await client.query(waiting)).rowCount !== 0,
        PATIENCE,
      );
      child.kill('SIGINT');
      expect(await outcome).toEqual({ status: 130, stdout: '', stderr: '' });
      await client.query('rollback');
    });
    expect(await query('select version from forms where slug = $1', [slug])).toEqual(before);
  });
});

describe('the command line on the embedded database', () => {
  it('starts and migrates the database if it is not running, and the last command stops it', async () => {
    const embedded = { DATABASE_URL: '', DATA_DIR: path.join(use.directory, 'data') };
    const imported = await run(
      ['forms', 'import', path.join(ROOT, 'examples/forms/job-application.json')],
      embedded,
    );
    expect(imported).toMatchObject({ status: 0, stdout: expect.stringMatching(/ 1 {2}created\n$/) });
    expect(imported.stderr).toMatch(/database/);

    const [list, url, create] = await Promise.all([
      run(['forms', 'list'], embedded),
      run(['db', 'url'], embedded),
      run(['tokens', 'create', '--email', 'ada@example.org'], embedded),
    ]);
    expect(list.stdout).toContain('job-application');
    const socket = encodeURIComponent(path.join(use.directory, 'data', 'postgres'));
    expect(url.stdout).toBe(`postgres://formtrail@${socket}:5432/formtrail\n`);
    expect(create.stdout).toMatch(/^ftk_[\w-]{43}\n$/);
    await expect(readFile(path.join(use.directory, 'data', 'postmaster.pid'))).rejects.toThrow(/ENOENT/);
  }, 60_000);
});
