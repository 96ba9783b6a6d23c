import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';

const EXAMPLE = path.resolve(__dirname, '../examples/forms/job-application.json');

let { directory, run, close } = {} as OpenCommandLine;
beforeAll(async () => {
  ({ directory, run, close } = await openCommandLine());
}, 120_000);
afterAll(() => close());

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
    expect(create.stdout).toMatch(/^ftk_[\w-]{43}\n$/);
    await expect(readFile(path.join(directory, 'data', 'postmaster.pid'))).rejects.toThrow(/ENOENT/);
  }, 60_000);
});
