import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PATIENCE } from '../support/built-service.js';
import { ended } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { onEachNode, pathOf } from '../support/nodes.js';
import { codeOf } from '../support/panel.js';
import { asAnotherProgram } from '../support/test-server.js';

const ROOT = path.resolve(__dirname, '../..');
/** Maximum milliseconds for a build and a start on a busy machine. */
const BUILT = 4 * PATIENCE;

const exec = promisify(execFile);

const DATABASE = 'formtrail-embedded-postgres';

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: { path: string }[];
}

const packedIn = (stdout: string) => (JSON.parse(stdout.slice(stdout.indexOf('['))) as [Packed])[0];

interface Manifest {
  readonly version: string;
  readonly exports: object;
}

let directory: string;
/** A copy of the repository without what is ignored, like a fresh clone, but with a file of an older build. */
let clone: string;
/** The folder in which the package is installed. */
let project: string;
let packed: Packed;
/** The share of the packing time in which `dist/src` existed. */
let wasThere: number;
let manifest: Manifest;
/** Warnings of `npm install`. */
let warnings: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'formtrail-checkout-'));
  clone = path.join(directory, 'clone');
  project = path.join(directory, 'project');
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', listing, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const name of names.filter((one) => one !== '' && existsSync(path.join(ROOT, one))))
    await cp(path.join(ROOT, name), path.join(clone, name));
  await symlink(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
  await mkdir(path.join(clone, 'dist/src'), { recursive: true });
  await writeFile(path.join(clone, 'dist/src/stale.js'), '');
  manifest = JSON.parse(await readFile(path.join(clone, 'package.json'), 'utf8')) as Manifest;

  const looks: boolean[] = [];
  const looking = setInterval(() => looks.push(existsSync(path.join(clone, 'dist/src'))), 20);
  const { stdout } = await exec('npm', ['pack', '--json', '--pack-destination', directory], { cwd: clone });
  clearInterval(looking);
  wasThere = looks.filter(Boolean).length / looks.length;
  packed = packedIn(stdout);
  // npm pack has built both packages.
  const database = ['pack', '--json', '--ignore-scripts', '-w', DATABASE, '--pack-destination', directory];
  const tarballs = [packed, packedIn((await exec('npm', database, { cwd: clone })).stdout)];

  await mkdir(project);
  await writeFile(path.join(project, 'package.json'), '{}');
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
  words.push(...tarballs.map(({ filename }) => path.join(directory, filename)));
  ({ stderr: warnings } = await exec('npm', words, { cwd: project }));
}, 600_000);

// Retry, because the last process of the database may not have ended yet.
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }));

/** Starts a program. Without `PORT`, the service listens on any free port. */
function start(words: readonly string[], variables: NodeJS.ProcessEnv, cwd = clone, isDetached = false) {
  const [program = '', ...rest] = words;
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PORT: '0', SHUTDOWN_TIMEOUT: '4', ...variables };
  // `detached` creates a process group, which the test can signal.
  const child = spawn(program, rest, { cwd, env, detached: isDetached, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (text: Buffer) => (texts.output += text.toString()));
  child.stderr.on('data', (text: Buffer) => (texts.errors += text.toString()));
  return { child, texts };
}

const listening = ({ texts }: ReturnType<typeof start>) =>
  eventually('it listens', () => /http:\/\/[\w.]+:\d+/.exec(texts.output)?.[0], PATIENCE);

describe('the package', () => {
  const paths = () => packed.files.map((file) => file.path);

  it('contains the built service, the example forms, the schemas and the documentation, and nothing else', () => {
    const rest = paths().filter((file) => !/^dist\/src\/.*\.(js|d\.ts|js\.map)$/.test(file));
    const forms = ['event-registration', 'job-application', 'patient-intake', 'travel-expense-claim'];
    expect(rest.sort()).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/openapi.json'],
      ...forms.map((form) => `examples/forms/${form}.json`),
      ...['package.json', 'schemas/conditions-vectors.json', 'schemas/form-definition.schema.json'],
    ]);
    expect(paths().filter((file) => /\.spec\.|(^|\/)tests?\/|\.tsbuildinfo$/.test(file))).toEqual([]);
    expect(packed.unpackedSize).toBeLessThan(6.75 * 2 ** 20);
  });

  it('was packed without removing a running build, and contains only modules that have a source', () => {
    expect(wasThere).toBeGreaterThan(0.9);
    const modules = paths().filter((file) => file.endsWith('.js'));
    const sources = modules.map((file) => file.replace(/^dist\/(.*)\.js$/, '$1.ts'));
    expect(sources.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
    expect(modules.length).toBeGreaterThan(200);
  });

  it('has source maps that contain the sources', async () => {
    const maps = paths().filter((file) => file.endsWith('.map'));
    expect(maps.length).toBeGreaterThan(100);
    for (const file of maps) {
      const { sources, sourcesContent = [] } = JSON.parse(await readFile(path.join(clone, file), 'utf8'));
      const types = sourcesContent.map((text: unknown) => typeof text);
      expect([file, types]).toEqual([file, sources.map(() => 'string')]);
    }
  });

  it('contains all files that its manifest names, and names its repository, which provenance requires', () => {
    const targets = [...JSON.stringify(manifest).matchAll(/"(?:\.\/)?(dist\/[^"]*\.\w+)"/g)];
    expect(targets.length).toBeGreaterThanOrEqual(4);
    expect(paths()).toEqual(expect.arrayContaining(targets.map(([, file]) => file)));
    expect(manifest).toMatchObject({
      repository: { type: 'git', url: 'git+https://github.com/formtrail/formtrail.git' },
      publishConfig: { access: 'public', provenance: true },
    });
  });
});

describe('formtrail, installed by npm from its tarball in an empty folder,', () => {
  it('depends on no package that rejects this Node.js, except two that Nest pins and the service does not use', () => {
    const unsupported = Array.from(warnings.matchAll(/EBADENGINE +package: '(.+)@/g), ([, name]) => name);
    // `inject()` of light-my-request uses `cookie`, and Nest's FileTypeValidator uses `file-type`.
    expect(['cookie', 'file-type']).toEqual(expect.arrayContaining(unsupported));
  });

  onEachNode('serves the example forms on an embedded database in the current folder', async (node) => {
    const folder = await mkdtemp(path.join(directory, 'folder-'));
    // Executes the installed file directly, like `npx formtrail`, so the file needs a shebang and execute permission.
    const formtrail = path.join(project, 'node_modules/.bin/formtrail');
    const begin = (...words: string[]) => start([formtrail, ...words], { PATH: pathOf(node) }, folder);
    const run = (...words: string[]) => ended(begin(...words).child);
    expect(await run('-V')).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });

    const server = begin('serve');
    const outcome = ended(server.child);
    try {
      const url = await listening(server);
      expect(server.texts.output).toContain('npx formtrail tokens create');
      const { data } = (await (await fetch(`${url}/api/v1/forms`)).json()) as { data: unknown[] };
      expect(data).toHaveLength(4);
      const words = ['submissions', 'export', '--form', 'job-application', '--format', 'csv'];
      const stdout = expect.stringMatching(/^uuid,status,/) as unknown;
      expect(await run(...words)).toMatchObject({ status: 0, stdout });
    } finally {
      server.child.kill('SIGTERM');
    }
    expect((await outcome).status).toBe(0);
    expect(await readFile(path.join(folder, '.data/postgres/PG_VERSION'), 'utf8')).toMatch(/^\d+\n$/);
  });

  onEachNode('has an embedded database for other programs too', async (node) => {
    const program = path.join(project, 'program.mjs');
    await writeFile(program, await codeOf('packages/embedded-postgres/README.md', 'js'));
    const ran = start(
      ['node', program],
      { PATH: pathOf(node) },
      await mkdtemp(path.join(directory, 'folder-')),
    );
    expect(await ended(ran.child)).toMatchObject({ status: 0, stdout: '42\n' });
  });

  it('names what is missing without the package of the embedded database', async () => {
    const [there, away] = [path.join(project, 'node_modules', DATABASE), path.join(directory, 'away')];
    await rename(there, away);
    const { child } = start(
      [path.join(project, 'node_modules/.bin/formtrail'), 'forms', 'list'],
      {},
      directory,
    );
    const stderr = expect.stringMatching(
      /^formtrail: The embedded PostgreSQL is not installed\..*DATABASE_URL/,
    );
    expect(await ended(child)).toMatchObject({ status: 1, stderr: stderr as unknown });
    await rename(away, there);
  });
});

describe('npm start, with a shell between npm and the server,', () => {
  it.each([
    ['all processes', 'SIGTERM', (shell: number) => -shell],
    ['the shell only', 'SIGTERM', (shell: number) => shell],
    ['all processes, like Ctrl-C', 'SIGINT', (shell: number) => -shell],
  ] as const)('stops its database too, on a signal to %s: %s', async (_, signal, target) => {
    const DATA_DIR = path.join(directory, 'data');
    const postmaster = path.join(DATA_DIR, 'postgres/postmaster.pid');
    // `exit $?` prevents the shell from replacing itself with the server.
    const shell = start(['sh', '-c', 'node scripts/run.mjs serve; exit $?'], { DATA_DIR }, clone, true);
    await eventually('it listens', () => shell.texts.output.includes('is listening'), PATIENCE);
    expect(existsSync(postmaster)).toBe(true);
    const [, url] = /^ {2}Database {2}(postgres:.*)$/m.exec(shell.texts.output) ?? [];
    const forms = await asAnotherProgram({ connectionString: url }, (program) =>
      program.query('select slug from forms'),
    );
    expect(forms.rowCount).toBe(4);

    process.kill(target(shell.child.pid!), signal);
    await eventually('the database has ended', () => !existsSync(postmaster), PATIENCE);
  });
});

it('npm start says that its port is in use before it builds or starts a database', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const DATA_DIR = path.join(directory, 'never-made');
  try {
    const { child, texts } = start(['node', 'scripts/run.mjs', 'serve'], { PORT: String(port), DATA_DIR });
    await once(child, 'exit');
    expect(child.exitCode).toBe(1);
    expect(texts.errors).toBe(
      `formtrail: Port ${port} of 127.0.0.1 is in use, perhaps by another Formtrail. Stop it, or set PORT.\n`,
    );
    expect(existsSync(DATA_DIR)).toBe(false);
  } finally {
    server.close();
  }
});

it(
  'npm run example, in a fresh clone, prints a link with an access token, and does not build again the next time',
  async () => {
    const running: ChildProcess[] = [];
    try {
      const service = start(['node', 'scripts/run.mjs', 'serve'], { SHUTDOWN_TIMEOUT: '1' });
      running.push(service.child);
      await eventually('the service listens', () => service.texts.output.includes('is listening'), BUILT);
      const [, url] = /^ {2}Address {3}(\S+)$/m.exec(service.texts.output) ?? [];
      for (const builds of [true, false]) {
        const words = ['node', 'examples/page/serve.mjs', '--port', '0'];
        const { child, texts } = start(words, { FORMTRAIL_URL: url });
        running.push(child);
        await eventually('it prints a link', () => texts.output.includes('Stop it with'), BUILT);
        expect(texts.output).toMatch(/^ {2}http:\S+#token=ftk_\S+$/m);
        expect(texts.errors.includes('Building the clients')).toBe(builds);
      }
    } finally {
      for (const child of running) {
        child.kill('SIGINT');
        if (child.exitCode === null) await once(child, 'exit');
      }
    }
  },
  2 * BUILT,
);
