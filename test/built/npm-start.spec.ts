import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { once } from 'node:events';
import path from 'node:path';
import { build, PATIENCE } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { asAnotherProgram } from '../support/test-server.js';

const ROOT = path.resolve(__dirname, '../..');
/** Maximum milliseconds for a build and a start on a busy machine. */
const BUILT = 4 * PATIENCE;

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

it('npm start says that its port is in use before it builds or starts a database', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dataDirectory = path.join(directory, 'never-made');
  try {
    const started = run(['scripts/run.mjs', 'serve'], ROOT, { PORT: String(port), DATA_DIR: dataDirectory });
    await once(started.child, 'exit');
    expect(started.child.exitCode).toBe(1);
    expect(started.errors()).toBe(
      `formtrail: Port ${port} of 127.0.0.1 is in use, perhaps by another Formtrail. Stop it, or set PORT.\n`,
    );
    expect(existsSync(dataDirectory)).toBe(false);
  } finally {
    server.close();
  }
});

describe('npm run example, in a fresh clone,', () => {
  it(
    'prints a link with an access token, and does not build again the next time',
    async () => {
      const clone = await cloneOf(ROOT);
      const running: ChildProcess[] = [];
      try {
        const service = run(['scripts/run.mjs', 'serve'], clone, { PORT: '0', SHUTDOWN_TIMEOUT: '1' });
        running.push(service.child);
        await eventually('the service listens', () => service.output().includes('is listening'), BUILT);
        const [, url] = /^ {2}Address {3}(\S+)$/m.exec(service.output()) ?? [];
        for (const builds of [true, false]) {
          const example = run(['examples/renderer/serve.mjs', '--port', '0'], clone, { FORMTRAIL_URL: url });
          running.push(example.child);
          await eventually('it prints a link', () => example.output().includes('Stop it with'), BUILT);
          expect(example.output()).toMatch(/^ {2}http:\S+#token=ftk_\S+$/m);
          expect(example.errors().includes('Building the clients')).toBe(builds);
        }
      } finally {
        for (const child of running) {
          child.kill('SIGINT');
          if (child.exitCode === null) await once(child, 'exit');
        }
        await rm(clone, { recursive: true, force: true });
      }
    },
    4 * BUILT,
  );
});

/** Copies the files of the repository as they are now, without what is built or ignored. */
async function cloneOf(root: string): Promise<string> {
  const clone = await mkdtemp(path.join(tmpdir(), 'formtrail-clone-'));
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).split('\0');
  for (const name of names.filter((one) => one !== '' && existsSync(path.join(root, one))))
    await cp(path.join(root, name), path.join(clone, name));
  await symlink(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
  return clone;
}

function run(args: readonly string[], cwd: string, variables: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (text: Buffer) => (texts.output += text.toString()));
  child.stderr.on('data', (text: Buffer) => (texts.errors += text.toString()));
  return { child, output: () => texts.output, errors: () => texts.errors };
}
