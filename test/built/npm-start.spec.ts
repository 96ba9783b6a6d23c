import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, PATIENCE } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { asAnotherProgram } from '../support/test-server.js';

const ROOT = path.resolve(__dirname, '../..');

let directory: string;

beforeAll(async () => {
  await build();
  directory = await mkdtemp(path.join(tmpdir(), 'formtrail-start-'));
}, 120_000);

afterAll(() => rm(directory, { recursive: true, force: true }));

describe('npm start, with a shell between npm and the server,', () => {
  it.each([
    ['all processes', 'SIGTERM', (shell: number) => -shell],
    ['the shell only', 'SIGTERM', (shell: number) => shell],
    ['all processes, like Ctrl-C', 'SIGINT', (shell: number) => -shell],
  ] as const)('stops its database too, on a signal to %s: %s', async (_, signal, target) => {
    const postmaster = path.join(directory, 'postgres/postmaster.pid');
    // `exit $?` prevents the shell from replacing itself with the server.
    const shell = spawn('sh', ['-c', 'node scripts/run.mjs serve; exit $?'], {
      cwd: ROOT,
      // Creates a process group, which the test can signal.
      detached: true,
      env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: directory, SHUTDOWN_TIMEOUT: '4' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    shell.stdout.on('data', (text: Buffer) => (output += text.toString()));
    await eventually('it listens', () => output.includes('is listening'), PATIENCE);
    expect(existsSync(postmaster)).toBe(true);
    const [, url] = /^ {2}Database {2}(postgres:.*)$/m.exec(output) ?? [];
    const forms = await asAnotherProgram({ connectionString: url }, (program) =>
      program.query('select slug from forms'),
    );
    expect(forms.rowCount).toBe(4);

    process.kill(target(shell.pid!), signal);
    await eventually('the database has ended', () => !existsSync(postmaster), PATIENCE);
  });
});
