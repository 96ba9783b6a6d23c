import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PATIENCE } from '../support/built-service.js';
import { ended } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { onEachNode, pathOf } from '../support/nodes.js';

const ROOT = path.resolve(__dirname, '../..');
/** The files of a checkout that packing needs. */
const CHECKOUT = [
  'src',
  'scripts',
  'examples',
  'package.json',
  'nest-cli.json',
  'ormconfig.ts',
  'tsconfig.json',
];
const ALSO = ['tsconfig.build.json', 'form-definition.schema.json', 'README.md', 'CHANGELOG.md', 'LICENSE'];

const exec = promisify(execFile);

let directory: string;
/** The folder in which the package is installed. */
let project: string;
/** The share of the packing time in which `dist/src` existed. */
let wasThere: number;
let manifest: { version: string };
/** Warnings of `npm install`. */
let warnings: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'formtrail-installed-'));
  const checkout = path.join(directory, 'checkout');
  project = path.join(directory, 'project');
  await mkdir(project);

  // Pack a copy of the checkout with a file of an older build, which must not get into the package.
  for (const name of [...CHECKOUT, ...ALSO]) {
    await cp(path.join(ROOT, name), path.join(checkout, name), { recursive: true });
  }
  await symlink(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'));
  await mkdir(path.join(checkout, 'dist/src'), { recursive: true });
  await writeFile(path.join(checkout, 'dist/src/stale.js'), '');
  const looks: boolean[] = [];
  const looking = setInterval(() => looks.push(existsSync(path.join(checkout, 'dist/src'))), 20);
  await exec('npm', ['pack', '--pack-destination', directory], { cwd: checkout });
  clearInterval(looking);
  wasThere = looks.filter(Boolean).length / looks.length;
  manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  const tarball = path.join(directory, `formtrail-${manifest.version}.tgz`);
  await writeFile(path.join(project, 'package.json'), '{}');
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball];
  ({ stderr: warnings } = await exec('npm', words, { cwd: project }));
}, 300_000);

// Retry, because the last process of the database may not have ended yet.
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }));

/** Executes the installed file directly, like `npx formtrail`, so the file needs a shebang and execute permission. */
const startIn =
  (folder: string, node: string) =>
  (...words: string[]) => {
    const env = { PATH: pathOf(node), PORT: '0', SHUTDOWN_TIMEOUT: '4' };
    return spawn(path.join(project, 'node_modules/.bin/formtrail'), words, { cwd: folder, env });
  };

describe('formtrail, installed by npm from its tarball in an empty folder,', () => {
  it('was packed without removing a running build, and contains nothing of it', () => {
    expect(wasThere).toBeGreaterThan(0.9);
    expect(existsSync(path.join(project, 'node_modules/formtrail/dist/src/cli.js'))).toBe(true);
    expect(existsSync(path.join(project, 'node_modules/formtrail/dist/src/stale.js'))).toBe(false);
  });

  it('depends on no package that rejects this Node.js, except two that Nest pins and the service does not use', () => {
    const unsupported = Array.from(warnings.matchAll(/EBADENGINE +package: '(.+)@/g), ([, name]) => name);
    // `inject()` of light-my-request uses `cookie`, and Nest's FileTypeValidator uses `file-type`.
    expect(['cookie', 'file-type']).toEqual(expect.arrayContaining(unsupported));
  });

  onEachNode('serves the example forms on an embedded database in the current folder', async (node) => {
    const folder = await mkdtemp(path.join(directory, 'folder-'));
    const start = startIn(folder, node);
    const run = (...words: string[]) => ended(start(...words));
    for (const word of ['--version', '-V'])
      expect(await run(word)).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });

    const server = start('serve');
    const outcome = ended(server);
    try {
      let output = '';
      server.stdout.on('data', (part: Buffer) => (output += part.toString()));
      const url = await eventually(
        'the server says where it listens',
        () => /http:\/\/[\w.]+:\d+/.exec(output)?.[0],
        PATIENCE,
      );
      expect(output).toContain('npx formtrail tokens create');
      const response = await fetch(`${url}/api/v1/forms`);
      const { data } = (await response.json()) as { data: unknown[] };
      expect(data).toHaveLength(4);
      expect((await run('forms', 'list')).stdout).toMatch(/^job-application /m);
      expect(
        await run('submissions', 'export', '--form', 'job-application', '--format', 'csv'),
      ).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^uuid,status,/),
      });
    } finally {
      server.kill('SIGTERM');
    }
    expect((await outcome).status).toBe(0);
    expect(await readFile(path.join(folder, '.data/postgres/PG_VERSION'), 'utf8')).toMatch(/^\d+\n$/);
  });
});
