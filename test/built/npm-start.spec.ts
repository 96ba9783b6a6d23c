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

describe('npm start, which has a shell between npm and the server,', () => {
  it.each([
    ['all of them', 'SIGTERM', (shell: number) => -shell],
    ['the shell alone', 'SIGTERM', (shell: number) => shell],
    ['all of them, as Ctrl-C does', 'SIGINT', (shell: number) => -shell],
  ] as const)('ends its database, too, on a signal to %s: %s', async (_, signal, target) => {
    const postmaster = path.join(directory, 'postgres/postmaster.pid');
    // With a command after it, so that the shell does not make way for it.
    const shell = spawn('sh', ['-c', 'node scripts/run.mjs main; exit $?'], {
      cwd: ROOT,
      // A group of its own.
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
